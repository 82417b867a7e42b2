import type { JsonObject } from "pintle/kinds";
import type { Event } from "pintle/kinds/core/v1";
import type { Event as EventsEvent } from "pintle/kinds/events/v1";
import type { Conversion, DeletionRules } from "../../api/index.ts";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { eventsEventTable, eventTable } from "../table/core.ts";
import { immutable, type Problems, qualifiedName, same } from "../validate/problems.ts";

const deletion: DeletionRules = { propagation: "unsupported" };

/** Names of fields in core/v1 and in events.k8s.io/v1; all others are called alike. */
const NAMES: readonly (readonly [core: string, events: string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];
const toCore = new Map(NAMES.map(([core, events]) => [events, core]));
const toEvents = new Map(NAMES.map(([core, events]) => [core, events]));

/** Events of both groups are the same objects; they are stored as core/v1. */
const eventConversion: Conversion = {
  fromStorage: async (objects) => objects.map((object) => renamed(object, toEvents, "events.k8s.io/v1")),
  toStorage: async (object) => renamed(object, toCore, "v1"),
};

function renamed(object: JsonObject, names: ReadonlyMap<string, string>, apiVersion: string): JsonObject {
  const fields = Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value] as const);
  return { ...Object.fromEntries(fields), apiVersion };
}

const asCore = (event: Loose<EventsEvent>) => renamed(event as JsonObject, toCore, "v1") as Loose<Event>;

/** What an update through events.k8s.io may not change, and how the server calls it. */
const FIXED: readonly (readonly [keyof Event, string?])[] = [
  ["involvedObject"],
  ["reason"],
  ["message"],
  ["source"],
  ["firstTimestamp"],
  ["lastTimestamp"],
  ["count"],
  ["reason"],
  ["type"],
  ["eventTime"],
  ["action"],
  ["related"],
  ["reportingComponent", "reportingController"],
  ["reportingInstance"],
];

/** Events without a time of their own are of the old kind, of which less is asked. */
function* legacyRules(object: Loose<Event>, controller: string): Problems {
  const namespace = object.metadata?.namespace ?? "";
  const about = object.involvedObject?.namespace ?? "";
  const elsewhere = fieldError.invalid("involvedObject.namespace", about, "does not match event.namespace");
  if (!object.eventTime) {
    if (about === "" ? namespace !== "" && namespace !== "default" : namespace !== about) yield elsewhere;
    return;
  }
  if (about === "" && namespace !== "default" && namespace !== "kube-system") yield elsewhere;
  if (!object.reportingComponent) yield fieldError.required(controller);
  yield* qualifiedName(controller, object.reportingComponent ?? "");
  yield* bounded("reportingInstance", object.reportingInstance, 128);
  yield* bounded("action", object.action, 128);
  yield* bounded("reason", object.reason, 128);
  if ((object.message ?? "").length > 1024) yield fieldError.invalid("message", "", "can have at most 1024 characters");
}

function* bounded(field: string, value: string | null | undefined, limit: number): Problems {
  if (!value) yield fieldError.required(field);
  else if (value.length > limit) yield fieldError.invalid(field, "", `can have at most ${limit} characters`);
}

function* series({ series: of }: Loose<EventsEvent>): Problems {
  if (!of) return;
  if ((of.count ?? 0) < 2) yield fieldError.invalid("series.count", "", "should be at least 2");
  if (!of.lastObservedTime) yield fieldError.required("series.lastObservedTime");
}

type Reference = Loose<Event>["involvedObject"];
const referenceFields = <T>(prefix: string, of: (event: Loose<T>) => Reference) =>
  Object.fromEntries(
    (["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"] as const).map((field) => [
      `${prefix}.${field}`,
      (event: Loose<T>) => of(event)?.[field] ?? "",
    ]),
  );

export const event = rules<Event>({
  validate: (object) => legacyRules(object, "reportingComponent"),
  deletion,
  selectableFields: {
    ...referenceFields<Event>("involvedObject", ({ involvedObject }) => involvedObject),
    reason: ({ reason }) => reason ?? "",
    reportingComponent: ({ reportingComponent }) => reportingComponent ?? "",
    source: ({ source, reportingComponent }) => source?.component || reportingComponent || "",
    type: ({ type }) => type ?? "",
  },
  table: eventTable,
});

export const eventsEvent = rules<EventsEvent>({
  validate: function* (object) {
    yield* legacyRules(asCore(object), "reportingController");
    yield* series(object);
    if (!object.eventTime) yield fieldError.required("eventTime");
    if (object.type !== "Normal" && object.type !== "Warning") {
      yield fieldError.invalid("type", "", `has invalid value: ${object.type ?? ""}`);
    }
    const unset = (field: string) => fieldError.invalid(field, "", "needs to be unset");
    if (object.deprecatedFirstTimestamp) yield unset("firstTimestamp");
    if (object.deprecatedLastTimestamp) yield unset("lastTimestamp");
    if (object.deprecatedCount) yield unset("count");
    if (object.deprecatedSource?.component || object.deprecatedSource?.host) yield unset("source");
  },
  validateUpdate: function* (object, live) {
    yield* legacyRules(asCore(object), "reportingController");
    if (!same(object.series, live.series)) yield* series(object);
    const [now, was] = [asCore(object), asCore(live)];
    for (const [field, shown = field] of FIXED) yield* immutable(shown, now[field], was[field]);
  },
  deletion,
  selectableFields: {
    ...referenceFields<EventsEvent>("regarding", ({ regarding }) => regarding),
    reason: ({ reason }) => reason ?? "",
    reportingController: ({ reportingController }) => reportingController ?? "",
    type: ({ type }) => type ?? "",
  },
  table: eventsEventTable,
  conversion: eventConversion,
});

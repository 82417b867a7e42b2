import type { JsonObject } from "pintle/kinds";
import type { Event } from "pintle/kinds/core/v1";
import type { Event as EventsEvent } from "pintle/kinds/events/v1";
import type { Conversion, DeletionStrategy } from "../../../api/index.ts";
import { fieldError } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { eventPrinter, eventsEventPrinter } from "../../printers/core.ts";
import { type FieldErrors, isSemanticallyEqual, validateImmutableField, validateQualifiedNameField } from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";

const deletionStrategy: DeletionStrategy = { defaultPropagation: "unsupported" };

/** Field names that differ between core/v1 and events.k8s.io/v1. */
const FIELD_NAMES: readonly (readonly [core: string, events: string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];
const toCore = new Map(FIELD_NAMES.map(([core, events]) => [events, core]));
const toEvents = new Map(FIELD_NAMES.map(([core, events]) => [core, events]));

/** Converts events between the two groups; they are stored as core/v1. */
const eventConversion: Conversion = {
  fromStorage: async (objects) => objects.map((object) => renameFields(object, toEvents, "events.k8s.io/v1")),
  toStorage: async (object) => renameFields(object, toCore, "v1"),
};

function renameFields(object: JsonObject, names: ReadonlyMap<string, string>, apiVersion: string): JsonObject {
  const fields = Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value] as const);
  return { ...Object.fromEntries(fields), apiVersion };
}

const toCoreEvent = (event: Unvalidated<EventsEvent>) => renameFields(event as JsonObject, toCore, "v1") as Unvalidated<Event>;

/** Fields that an update through events.k8s.io must not change, with the names in errors. */
const IMMUTABLE_FIELDS: readonly (readonly [keyof Event, string?])[] = [
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

/** Validates the fields of both groups. Events without eventTime are legacy events with fewer requirements. */
function* validateLegacyEvent(object: Unvalidated<Event>, controller: string): FieldErrors {
  const namespace = object.metadata?.namespace ?? "";
  const about = object.involvedObject?.namespace ?? "";
  const elsewhere = fieldError.invalid("involvedObject.namespace", about, "does not match event.namespace");
  if (!object.eventTime) {
    if (about === "" ? namespace !== "" && namespace !== "default" : namespace !== about) yield elsewhere;
    return;
  }
  if (about === "" && namespace !== "default" && namespace !== "kube-system") yield elsewhere;
  if (!object.reportingComponent) yield fieldError.required(controller);
  yield* validateQualifiedNameField(controller, object.reportingComponent ?? "");
  yield* validateBoundedString("reportingInstance", object.reportingInstance, 128);
  yield* validateBoundedString("action", object.action, 128);
  yield* validateBoundedString("reason", object.reason, 128);
  if ((object.message ?? "").length > 1024) yield fieldError.invalid("message", "", "can have at most 1024 characters");
}

function* validateBoundedString(field: string, value: string | null | undefined, limit: number): FieldErrors {
  if (!value) yield fieldError.required(field);
  else if (value.length > limit) yield fieldError.invalid(field, "", `can have at most ${limit} characters`);
}

function* validateSeries({ series: of }: Unvalidated<EventsEvent>): FieldErrors {
  if (!of) return;
  if ((of.count ?? 0) < 2) yield fieldError.invalid("series.count", "", "should be at least 2");
  if (!of.lastObservedTime) yield fieldError.required("series.lastObservedTime");
}

type Reference = Unvalidated<Event>["involvedObject"];
const createReferenceSelectors = <T>(prefix: string, of: (event: Unvalidated<T>) => Reference) =>
  Object.fromEntries(
    (["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"] as const).map((field) => [
      `${prefix}.${field}`,
      (event: Unvalidated<T>) => of(event)?.[field] ?? "",
    ]),
  );

export const eventStrategy = defineStrategy<Event>({
  validate: (object) => validateLegacyEvent(object, "reportingComponent"),
  deletion: deletionStrategy,
  selectableFields: {
    ...createReferenceSelectors<Event>("involvedObject", ({ involvedObject }) => involvedObject),
    reason: ({ reason }) => reason ?? "",
    reportingComponent: ({ reportingComponent }) => reportingComponent ?? "",
    source: ({ source, reportingComponent }) => source?.component || reportingComponent || "",
    type: ({ type }) => type ?? "",
  },
  tablePrinter: eventPrinter,
});

export const eventsEventStrategy = defineStrategy<EventsEvent>({
  validate: function* (object) {
    yield* validateLegacyEvent(toCoreEvent(object), "reportingController");
    yield* validateSeries(object);
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
    yield* validateLegacyEvent(toCoreEvent(object), "reportingController");
    if (!isSemanticallyEqual(object.series, live.series)) yield* validateSeries(object);
    const [now, was] = [toCoreEvent(object), toCoreEvent(live)];
    for (const [field, name = field] of IMMUTABLE_FIELDS) yield* validateImmutableField(name, now[field], was[field]);
  },
  deletion: deletionStrategy,
  selectableFields: {
    ...createReferenceSelectors<EventsEvent>("regarding", ({ regarding }) => regarding),
    reason: ({ reason }) => reason ?? "",
    reportingController: ({ reportingController }) => reportingController ?? "",
    type: ({ type }) => type ?? "",
  },
  tablePrinter: eventsEventPrinter,
  conversion: eventConversion,
});

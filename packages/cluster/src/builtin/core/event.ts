import type { JsonObject } from "pintle/kinds";
import type { Event } from "pintle/kinds/core/v1";
import type { Event as EventsEvent } from "pintle/kinds/events/v1";
import type { Conversion, DeletionRules } from "../../api/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { eventsEventTable, eventTable } from "../table/core.ts";

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

type Reference = Loose<Event>["involvedObject"];
const referenceFields = <T>(prefix: string, of: (event: Loose<T>) => Reference) =>
  Object.fromEntries(
    (["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"] as const).map((field) => [
      `${prefix}.${field}`,
      (event: Loose<T>) => of(event)?.[field] ?? "",
    ]),
  );

export const event = rules<Event>({
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

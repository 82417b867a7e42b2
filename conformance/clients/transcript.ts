import { isObject, type Json, type JsonObject } from "pintle/kinds";

/** One thing a client program did, and what it saw. */
export interface Step {
  readonly name: string;
  readonly seen: Json;
}

/** What differs between any two runs, by field. */
const OF_THE_RUN = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
  "lastTransitionTime",
  "acquireTime",
  "renewTime",
  "time",
]);
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** What a program wrote to stdout, with everything replaced that is of this one run. */
export function transcript(output: string): readonly Step[] {
  const lines = output.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const tab = line.indexOf("\t");
    return { name: line.slice(0, tab), seen: comparable(JSON.parse(line.slice(tab + 1)) as Json, "") };
  });
}

function comparable(value: Json, field: string): Json {
  if (value !== null && OF_THE_RUN.has(field)) return `<${field}>`;
  if (typeof value === "string") return value.replace(UID, "<uid>");
  if (Array.isArray(value)) {
    const items = value.map((item) => comparable(item as Json, ""));
    // Ordered by time, to the second: whether two writes share one is of the run too.
    return field === "managedFields" ? items.sort((a, b) => (writer(a) < writer(b) ? -1 : 1)) : items;
  }
  if (!isObject(value)) return value;
  // Where two write parts of the status, whoever is first owns the field as such: also of the run.
  const entries = Object.entries(value).filter(([key]) => field !== "f:status" || key !== ".");
  return Object.fromEntries(entries.map(([key, each]) => [key, comparable(each as Json, key)]));
}

function writer(entry: Json): string {
  const { manager, operation, subresource } = entry as JsonObject;
  return JSON.stringify([manager, operation, subresource]);
}

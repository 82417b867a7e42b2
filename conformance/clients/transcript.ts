import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";

/** One action of a client program, and what it observed. */
export interface TranscriptStep {
  readonly name: string;
  readonly seen: Json;
}

/** Fields whose values differ from run to run. */
const RUN_SPECIFIC_FIELDS = new Set([
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

/** Parses the stdout of a program and masks values that differ from run to run. */
export function parseTranscript(output: string): readonly TranscriptStep[] {
  const lines = output.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const tab = line.indexOf("\t");
    return { name: line.slice(0, tab), seen: maskRunSpecific(JSON.parse(line.slice(tab + 1)) as Json, "") };
  });
}

function maskRunSpecific(value: Json, field: string): Json {
  if (value !== null && RUN_SPECIFIC_FIELDS.has(field)) return `<${field}>`;
  if (typeof value === "string") return value.replace(UID, "<uid>");
  if (Array.isArray(value)) {
    const items = value.map((item) => maskRunSpecific(item as Json, ""));
    // managedFields are sorted by time in seconds; whether two writes share a second differs from run to run.
    return field === "managedFields" ? items.sort((a, b) => (managerKey(a) < managerKey(b) ? -1 : 1)) : items;
  }
  if (!isJsonObject(value)) return value;
  // Of two managers that write parts of the status, the first one owns the field itself; the order differs from run to run.
  const entries = Object.entries(value).filter(([key]) => field !== "f:status" || key !== ".");
  return Object.fromEntries(entries.map(([key, each]) => [key, maskRunSpecific(each as Json, key)]));
}

function managerKey(entry: Json): string {
  const { manager, operation, subresource } = entry as JsonObject;
  return JSON.stringify([manager, operation, subresource]);
}

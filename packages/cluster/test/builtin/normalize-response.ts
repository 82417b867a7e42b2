import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import type { ServerResponse } from "./run-case.ts";

const SERVER_SET_FIELDS = new Set(["uid", "resourceVersion", "creationTimestamp", "selfLink"]);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Ages: in seconds for objects of a case, in days for fixed dates in it. */
const AGE = /^(\d+s|(\d+y)?\d+d)$|(?<=\()(\d+y)?\d+d(?= ago\)$)/;
/** Volume names with a random suffix. */
const TOKEN_VOLUME_NAME = /(kube-api-access-)\w{5}/g;
/** Allocated addresses; those in 10.96.200.0/24 are requested by cases and never allocated. */
const ALLOCATED_IP = /\b10\.96\.(?!200\.)\d+\.\d+\b/g;

/** Normalizes the parts of a response that differ between API servers and runs. */
export function normalizeResponse({ code, body, warnings }: ServerResponse): JsonObject {
  const normalized = body["kind"] === "Table" ? normalizeTable(body) : normalizeValue(body, "");
  return { code, body: normalized, ...(warnings.length === 0 ? {} : { warnings }) } as JsonObject;
}

function normalizeTable({ columnDefinitions, rows }: JsonObject): JsonObject {
  return {
    columns: ((columnDefinitions ?? []) as readonly JsonObject[]).map(
      ({ name, type, format, priority }) => `${name} ${type} ${format} ${priority}`,
    ),
    rows: ((rows ?? []) as readonly JsonObject[]).map(({ cells, conditions }) => ({
      cells: (cells as readonly Json[]).map((cell) => (typeof cell === "string" ? normalizeText(cell.replace(AGE, "<age>")) : cell)),
      ...(conditions === undefined ? {} : { conditions }),
    })),
  };
}

function normalizeValue(value: Json | undefined, path: string): Json {
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => normalizeValue(item, path));
    // The order of managed fields depends on timestamps within the same second.
    return path.endsWith(".managedFields") ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
  }
  if (!isJsonObject(value)) return normalizeScalar(value ?? null, path);
  const entries = Object.entries(value)
    .filter(([key]) => !(/^(\.items)?\.metadata$/.test(path) && SERVER_SET_FIELDS.has(key)) && `${path}.${key}` !== ".spec.extra")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => [key.replace(TOKEN_VOLUME_NAME, "$1<x>"), normalizeValue(field, `${path}.${key}`)] as const);
  return Object.fromEntries(entries);
}

function normalizeScalar(value: Json, path: string): Json {
  if (path.endsWith("odePort") && typeof value === "number" && value >= 30086) return "<port>";
  return normalizeText(value);
}

function normalizeText(value: Json): Json {
  if (typeof value !== "string") return value;
  if (/^\d{4}-\d\d-\d\dT.*Z$/.test(value) && Math.abs(Date.parse(value) - now) < 600_000) return "<now>";
  // The lines after the first are a diff of internal Go types.
  return value
    .split("\n")[0]!
    .replace(/\{(?:(?!Invalid value).)*"[Ss]pec":(?:(?!Invalid value).)*\}(?=: field is immutable)/, "<template>")
    .replace(UUID, "<uid>")
    .replace(TOKEN_VOLUME_NAME, "$1<x>")
    .replace(ALLOCATED_IP, "<ip>")
    .replace(/:3[0-2]\d{3}\//g, ":<port>/");
}

let now = Date.now();
/** Sets the time that counts as now: the time at which the responses were recorded. */
export function setReferenceTime(ms: number): void {
  now = ms;
}

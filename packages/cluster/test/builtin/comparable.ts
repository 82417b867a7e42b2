import { isObject, type Json, type JsonObject } from "pintle/kinds";
import type { Reply } from "./script.ts";

const OWN = new Set(["uid", "resourceVersion", "creationTimestamp", "selfLink"]);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** How long ago something was: seconds for what a case makes, days for what it says happened on a date. */
const AGE = /^(\d+s|(\d+y)?\d+d)$|(?<=\()(\d+y)?\d+d(?= ago\)$)/;
/** Named by chance. */
const TOKEN_VOLUME = /(kube-api-access-)\w{5}/g;
/** Addresses from here up are only ever written by cases, never given out. */
const GIVEN_IP = /\b10\.96\.(?!200\.)\d+\.\d+\b/g;

/** A reply without what no two servers, and no two runs, say alike. */
export function comparable({ code, body, warnings }: Reply): JsonObject {
  const shown = body["kind"] === "Table" ? table(body) : clean(body, "");
  return { code, body: shown, ...(warnings.length === 0 ? {} : { warnings }) } as JsonObject;
}

function table({ columnDefinitions, rows }: JsonObject): JsonObject {
  return {
    columns: ((columnDefinitions ?? []) as readonly JsonObject[]).map(
      ({ name, type, format, priority }) => `${name} ${type} ${format} ${priority}`,
    ),
    rows: ((rows ?? []) as readonly JsonObject[]).map(({ cells, conditions }) => ({
      cells: (cells as readonly Json[]).map((cell) => (typeof cell === "string" ? text(cell.replace(AGE, "<age>")) : cell)),
      ...(conditions === undefined ? {} : { conditions }),
    })),
  };
}

function clean(value: Json | undefined, path: string): Json {
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => clean(item, path));
    // Their order hangs on what happened within the same second.
    return path.endsWith(".managedFields") ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
  }
  if (!isObject(value)) return scalar(value ?? null, path);
  const entries = Object.entries(value)
    .filter(([key]) => !(/^(\.items)?\.metadata$/.test(path) && OWN.has(key)) && `${path}.${key}` !== ".spec.extra")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => [key.replace(TOKEN_VOLUME, "$1<x>"), clean(field, `${path}.${key}`)] as const);
  return Object.fromEntries(entries);
}

function scalar(value: Json, path: string): Json {
  if (path.endsWith("odePort") && typeof value === "number" && value >= 30086) return "<port>";
  return text(value);
}

function text(value: Json): Json {
  if (typeof value !== "string") return value;
  if (/^\d{4}-\d\d-\d\dT.*Z$/.test(value) && Math.abs(Date.parse(value) - now) < 600_000) return "<now>";
  // What follows the first line is a diff of types that only the server knows.
  return value
    .split("\n")[0]!
    .replace(/\{(?:(?!Invalid value).)*"[Ss]pec":(?:(?!Invalid value).)*\}(?=: field is immutable)/, "<template>")
    .replace(UUID, "<uid>")
    .replace(TOKEN_VOLUME, "$1<x>")
    .replace(GIVEN_IP, "<ip>")
    .replace(/:3[0-2]\d{3}\//g, ":<port>/");
}

let now = Date.now();
/** What counts as now; a replay is told when the answers were taken. */
export function setNow(ms: number): void {
  now = ms;
}

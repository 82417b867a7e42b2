import { parseGoDuration } from "pintle/internal/go-format";
/** Returns why a cron schedule is invalid, with the text of kube-apiserver's parser; undefined if it is valid. */
export function findCronError(schedule: string): string | undefined {
  const plain = schedule.replace(/^(CRON_)?TZ=\S* */, "");
  if (plain.startsWith("@")) return findDescriptorError(plain);
  const fields = plain.split(/\s+/).filter((field) => field !== "");
  if (fields.length !== CRON_FIELDS.length) return `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`;
  for (const [i, field] of fields.entries()) {
    for (const range of field.split(",").filter((part) => part !== "")) {
      const problem = findRangeError(range, CRON_FIELDS[i]!);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

interface CronFieldBounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}
const MONTHS = ["", ..."jan feb mar apr may jun jul aug sep oct nov dec".split(" ")];
const DAYS = "sun mon tue wed thu fri sat".split(" ");
const CRON_FIELDS: readonly CronFieldBounds[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];
const EVERY = "@every ";
const DESCRIPTORS = new Set(["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]);

function findDescriptorError(schedule: string): string | undefined {
  if (DESCRIPTORS.has(schedule)) return undefined;
  if (!schedule.startsWith(EVERY)) return `unrecognized descriptor: ${schedule}`;
  const interval = parseGoDuration(schedule.slice(EVERY.length));
  return "error" in interval ? `failed to parse duration ${schedule}: ${interval.error}` : undefined;
}

function findRangeError(text: string, { min, max, names }: CronFieldBounds): string | undefined {
  const [range = "", step, ...slashes] = text.split("/");
  const [low = "", high, ...hyphens] = range.split("-");
  const any = low === "*" || low === "?";
  const start = any ? min : parseCronNumber(low, names);
  if (typeof start === "string") return start;
  if (!any && hyphens.length > 0) return `too many hyphens: ${text}`;
  let end = any ? max : high === undefined ? start : parseCronNumber(high, names);
  if (typeof end === "string") return end;
  if (slashes.length > 0) return `too many slashes: ${text}`;
  const by = step === undefined ? 1 : parseCronNumber(step, []);
  if (typeof by === "string") return by;
  if (step !== undefined && high === undefined) end = max;
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${text}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return by === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

/** Returns a number, or the error text if it is invalid. */
function parseCronNumber(text: string, names: readonly string[]): number | string {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0 && text !== "") return named;
  if (!/^[-+]?\d+$/.test(text)) return `failed to parse int from ${text}: strconv.Atoi: parsing "${text}": invalid syntax`;
  const value = Number(text);
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}

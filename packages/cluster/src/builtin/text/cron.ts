/** Why a cron schedule is none, in the words of the parser the server uses; undefined when it is fine. */
export function cronProblem(schedule: string): string | undefined {
  const plain = schedule.replace(/^(CRON_)?TZ=\S* */, "");
  if (plain.startsWith("@")) return descriptorProblem(plain);
  const fields = plain.split(/\s+/).filter((field) => field !== "");
  if (fields.length !== BOUNDS.length) return `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`;
  for (const [i, field] of fields.entries()) {
    for (const range of field.split(",").filter((part) => part !== "")) {
      const problem = rangeProblem(range, BOUNDS[i]!);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}
const MONTHS = ["", ..."jan feb mar apr may jun jul aug sep oct nov dec".split(" ")];
const DAYS = "sun mon tue wed thu fri sat".split(" ");
const BOUNDS: readonly Bounds[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];
const DESCRIPTORS = new Set(["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]);

function descriptorProblem(schedule: string): string | undefined {
  if (DESCRIPTORS.has(schedule) || /^@every (\d+(\.\d*)?(ns|us|ms|s|m|h))+$/.test(schedule)) return undefined;
  return `unrecognized descriptor: ${schedule}`;
}

function rangeProblem(text: string, { min, max, names }: Bounds): string | undefined {
  const [range = "", step, ...slashes] = text.split("/");
  const [low = "", high, ...hyphens] = range.split("-");
  const any = low === "*" || low === "?";
  const start = any ? min : numberOf(low, names);
  if (typeof start === "string") return start;
  if (!any && hyphens.length > 0) return `too many hyphens: ${text}`;
  let end = any ? max : high === undefined ? start : numberOf(high, names);
  if (typeof end === "string") return end;
  if (slashes.length > 0) return `too many slashes: ${text}`;
  const by = step === undefined ? 1 : numberOf(step, []);
  if (typeof by === "string") return by;
  if (step !== undefined && high === undefined) end = max;
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${text}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return by === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

/** A number, or why it is none. */
function numberOf(text: string, names: readonly string[]): number | string {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0 && text !== "") return named;
  if (!/^[-+]?\d+$/.test(text)) return `failed to parse int from ${text}: strconv.Atoi: parsing "${text}": invalid syntax`;
  const value = Number(text);
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}

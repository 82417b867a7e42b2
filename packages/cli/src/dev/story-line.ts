/** A line of an operator's log, as `run()` writes it where no terminal is. */
interface Line {
  readonly time: string;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly [field: string]: unknown;
}

/**
 * A log line for a reader: when, which object, what woke the controller, what it decided. Lines that are no log lines
 * come back as they are; undefined: not worth showing.
 */
export function storyLine(text: string, options: { readonly verbose: boolean; readonly colour: boolean }): string | undefined {
  const line = parsed(text);
  if (line === undefined) return text.trim() === "" ? undefined : text;
  if (line.level === "debug" && !options.verbose) return undefined;
  const { time, level, message, controller, object, reasons, plan, error, took, ...more } = line;
  const who = object === undefined ? String(controller ?? "") : String(object);
  const rest = Object.entries(more).map(([name, value]) => `${name} ${words(value)}`);
  const parts = [
    clock(time),
    who,
    reasons === undefined ? "" : `${words(reasons)} ->`,
    plan === undefined ? message : words(plan),
    error === undefined ? "" : `: ${words(error)}`,
    ...rest,
    took === undefined ? "" : `${took} ms`,
  ];
  const said = parts
    .filter((part) => part !== "")
    .join("  ")
    .replace("  : ", ": ");
  return options.colour ? `${COLOURS[level] ?? ""}${said}${level === "info" ? "" : "\u001b[0m"}` : said;
}

const COLOURS: Readonly<Record<string, string>> = { debug: "\u001b[2m", warn: "\u001b[33m", error: "\u001b[31m" };

function parsed(text: string): Line | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const line = JSON.parse(text) as Line;
    return typeof line.message === "string" && typeof line.time === "string" ? line : undefined;
  } catch {
    return undefined;
  }
}

/** In the reader's own zone. */
function clock(time: string): string {
  const at = new Date(time);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}

function words(value: unknown): string {
  if (Array.isArray(value)) return value.map(words).join(", ");
  if (typeof value === "object" && value !== null) return "message" in value ? String(value.message) : JSON.stringify(value);
  return String(value);
}

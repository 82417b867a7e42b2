/** A JSON log line as `run()` writes it without a terminal. */
interface LogLine {
  readonly time: string;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly [field: string]: unknown;
}

export interface LogLineOptions {
  /** Also show debug lines. */
  readonly verbose: boolean;
  readonly color: boolean;
  /** The folder of the project: paths in stack traces are shown relative to it. */
  readonly root: string;
}

/**
 * Formats an operator's JSON log line for a terminal: time, level, message, error and the remaining fields as key=value. Fields that the
 * message already contains are omitted. Returns other lines unchanged, and undefined for lines that are not shown.
 */
export function formatLogLine(text: string, options: LogLineOptions): string | undefined {
  const line = parseLogLine(text);
  if (line === undefined) return text.trim() === "" ? undefined : text;
  if (line.level === "debug" && !options.verbose) return undefined;
  const { time, level, error, stacktrace, ...others } = line;
  const { message, ...fields } = summarizeReconcile(others);
  const rest = Object.entries(fields)
    .map(([name, value]) => [name, formatValue(value)] as const)
    .filter(([, value]) => value !== "" && !message.includes(value))
    .map(([name, value]) => `${name}=${/[\s"=]/.test(value) ? JSON.stringify(value) : value}`);
  const head = `${formatTime(time)} ${level.toUpperCase().padEnd(5)} ${message}${error === undefined ? "" : `: ${formatValue(error)}`}`;
  const formatted = [[head, ...rest].join(" "), ...projectFrames(stacktrace, options)].join("\n");
  return options.color ? `${LEVEL_COLORS[level] ?? ""}${formatted}${level === "info" ? "" : "\u001b[0m"}` : formatted;
}

/** Puts the object, the duration and the plan of a reconciliation into the message: they are what a reader looks for first. */
function summarizeReconcile({ message, ...fields }: Pick<LogLine, "message">): {
  readonly message: string;
  readonly [field: string]: unknown;
} {
  const { object, duration, plan, ...rest } = fields as Readonly<Record<string, unknown>>;
  if (message !== "Reconciled" || object === undefined || duration === undefined) return { message, ...fields };
  return { message: `Reconciled ${object} in ${duration}${plan === undefined ? "" : `: ${plan}`}`, ...rest };
}

/**
 * Returns the frames in the source of the project, with relative paths. If none is, those of other libraries: those of Pintle help only its developers,
 * and are shown with `--verbose`.
 */
function projectFrames(stacktrace: unknown, { root, verbose }: LogLineOptions): readonly string[] {
  if (typeof stacktrace !== "string") return [];
  const lines = stacktrace.split("\n");
  const isFrame = (line: string) => line.startsWith("    at ");
  const relative = lines.map((line) => line.replaceAll(`file://${root}/`, "").replaceAll(`${root}/`, ""));
  const isOwn = (line: string, i: number) => isFrame(line) && line !== lines[i] && !line.includes("node_modules/");
  if (verbose) return relative;
  if (relative.some(isOwn)) return relative.filter((line, i) => !isFrame(line) || isOwn(line, i));
  return relative.filter((line) => !isFrame(line) || !/node_modules\/@?pintle\//.test(line));
}

const LEVEL_COLORS: Readonly<Record<string, string>> = { debug: "\u001b[2m", warn: "\u001b[33m", error: "\u001b[31m" };

function parseLogLine(text: string): LogLine | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const line = JSON.parse(text) as LogLine;
    return typeof line.message === "string" && typeof line.time === "string" ? line : undefined;
  } catch {
    return undefined;
  }
}

/** In the local time zone. */
function formatTime(time: string): string {
  const at = new Date(time);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatValue).join(", ");
  if (typeof value === "object" && value !== null) return "message" in value ? String(value.message) : JSON.stringify(value);
  return String(value);
}

import { formatErrorChain } from "../../errors/index.ts";
import type { Json, JsonObject } from "../../json/index.ts";
import type { FlightRecorder, LogFact } from "../../recorder/index.ts";
import type { LogFields, Logger } from "../logger.ts";

/** Returns a logger that also records its lines, as lines of a run if one is given. */
export function recordLog(logger: Logger, recorder: FlightRecorder | undefined, run?: string): Logger {
  if (recorder === undefined) return logger;
  return createRecordingLogger(logger, recorder, run, {});
}

function createRecordingLogger(logger: Logger, recorder: FlightRecorder, run: string | undefined, fields: LogFields): Logger {
  const write = (level: LogFact["level"]) => (message: string, more?: LogFields) => {
    logger[level](message, more);
    const all = toJsonFields(more === undefined ? fields : { ...fields, ...more });
    recorder.record({ type: "log", level, message, fields: all, run });
  };
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    with: (more) => createRecordingLogger(logger.with(more), recorder, run, { ...fields, ...more }),
  };
}

/** Deeper values are cut, and so are lists and objects beyond this many values: a log line can hold anything. */
const MAX_DEPTH = 8;
const MAX_VALUES = 1_000;

/** Fields as JSON: errors as their messages, bytes as base64, values that JSON lacks as text. */
function toJsonFields(fields: LogFields): JsonObject | undefined {
  let left = MAX_VALUES;
  const toJson = (value: unknown, depth: number): Json | undefined => {
    if (value instanceof Error) return formatErrorChain(value);
    if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
    if (value === null || value === undefined || typeof value === "string" || typeof value === "boolean") return value;
    if (typeof value !== "object") return String(value);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
    if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
    if (value instanceof URL) return value.href;
    if (depth === 0) return "...";
    if (value instanceof Map || value instanceof Set) return toJson([...value], depth - 1);
    const entries: [string, Json][] = [];
    for (const name in value) {
      if (left-- <= 0) {
        entries.push(["...", "..."]);
        break;
      }
      if (!Object.hasOwn(value, name)) continue;
      const field = toJson((value as Readonly<Record<string, unknown>>)[name], depth - 1);
      if (field !== undefined || Array.isArray(value)) entries.push([name, field ?? null]);
    }
    return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
  };
  const entries = Object.entries(fields);
  if (entries.length === 0) return undefined;
  try {
    return toJson(fields, MAX_DEPTH + 1) as JsonObject;
  } catch (error) {
    // A getter that throws: the line was written, and reconcile must not fail because it is recorded.
    return { "...": `fields that cannot be read: ${formatErrorChain(error)}` };
  }
}

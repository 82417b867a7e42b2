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

/** Fields as JSON: errors as their messages, values that JSON lacks as text. */
function toJsonFields(fields: LogFields): JsonObject | undefined {
  const entries = Object.entries(fields);
  return entries.length === 0 ? undefined : Object.fromEntries(entries.map(([name, value]) => [name, toJson(value, MAX_DEPTH)]));
}

/** Deeper values are cut: a log line can hold anything. */
const MAX_DEPTH = 8;

function toJson(value: unknown, depth: number): Json | undefined {
  if (value instanceof Error) return formatErrorChain(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value === null || value === undefined || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value !== "object") return String(value);
  if (depth === 0) return "...";
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (Array.isArray(value)) return value.map((item) => toJson(item, depth - 1) ?? null);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toJson(field, depth - 1)]));
}

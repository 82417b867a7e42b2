import { type Clock, systemClock } from "../clock/index.ts";
import type { LogFields, Logger } from "../controller/index.ts";
import { formatErrorChain } from "../errors/index.ts";
import { extendObject } from "../json/index.ts";
import { DEFAULTS } from "./defaults.ts";

/** A log level, from the lowest to the highest. */
export type LogLevel = "debug" | "info" | "warn" | "error";
const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Options of `createLogger()`. */
export interface LoggerOptions {
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Receives each line, without a line break. */
  readonly write: (line: string) => void;
  /** The lowest level that is logged. Default: `DEFAULTS.logLevel` ("info"). */
  readonly level?: LogLevel | undefined;
  /** Writes key=value text for a terminal instead of JSON. Default: false. */
  readonly humanReadable?: boolean | undefined;
}

/**
 * Creates a logger that writes one line per message: JSON, or key=value text for a terminal.
 *
 * @example
 * ```ts
 * import { createLogger } from "pintle";
 *
 * export const logger = createLogger({ write: (line) => console.error(line), level: "debug" });
 * ```
 */
export function createLogger(options: LoggerOptions, fields: LogFields = {}): Logger {
  const { clock = systemClock, write, humanReadable = false } = options;
  const from = LEVELS.indexOf(options.level ?? DEFAULTS.logLevel);
  const createLevelWriter = (level: LogLevel) => (message: string, more?: LogFields) => {
    if (LEVELS.indexOf(level) < from) return;
    const time = new Date(clock.now()).toISOString();
    const all = splitError(more === undefined ? fields : extendObject(fields, more));
    write(humanReadable ? formatTextLine(time, level, message, all) : JSON.stringify({ time, level, message, ...all }, toLogValue));
  };
  return {
    debug: createLevelWriter("debug"),
    info: createLevelWriter("info"),
    warn: createLevelWriter("warn"),
    error: createLevelWriter("error"),
    with: (more) => createLogger(options, { ...fields, ...more }),
  };
}

/** Creates a logger to standard error: text, unbuffered, on a terminal; JSON otherwise. */
export function createStderrLogger(clock: Clock): Logger {
  const humanReadable = process.stderr.isTTY;
  const write = (text: string) => void process.stderr.write(text);
  return createLogger({ clock, write: humanReadable ? (line) => write(`${line}\n`) : bufferLines(write), humanReadable });
}

/**
 * Replaces the error of a line by its message with all causes, and adds its stack as `stacktrace`, as zap does. A caller that logs the same failure
 * again passes the message alone.
 */
function splitError(fields: LogFields): LogFields {
  const { error } = fields;
  if (!(error instanceof Error)) return fields;
  const stacktrace = stackFrames(error);
  return { ...fields, error: formatErrorChain(error), ...(stacktrace === "" ? {} : { stacktrace }) };
}

/** Returns the frames of an error and of its causes, without the frames of Node itself, the message lines only before those of a cause. */
function stackFrames(error: Error): string {
  const own = (error.stack ?? "").split("\n").filter((line) => /^ {4}at /.test(line) && !line.includes("node:internal/"));
  const { cause } = error;
  const inner = cause instanceof Error && cause !== error ? stackFrames(cause) : "";
  return [...own, ...(inner === "" ? [] : [`caused by ${(cause as Error).name}: ${(cause as Error).message}`, inner])].join("\n");
}

/** Renders values that JSON lacks. */
function toLogValue(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return value instanceof Error ? formatErrorChain(value) : value;
}

function formatTextLine(time: string, level: LogLevel, message: string, { stacktrace, ...fields }: LogFields): string {
  const parts = Object.entries(fields).map(([name, value]) => `${name}=${formatField(value)}`);
  const line = [time.slice(11, 23), level.toUpperCase().padEnd(5), message, ...parts].join(" ");
  return typeof stacktrace === "string" ? `${line}\n${stacktrace}` : line;
}
function formatField(value: unknown): string {
  const text = formatFieldText(value);
  return /[\s"=]/.test(text) ? JSON.stringify(text) : text;
}
function formatFieldText(value: unknown): string {
  if (value instanceof Error) return formatErrorChain(value);
  if (Array.isArray(value)) return value.map(formatFieldText).join(", ");
  return typeof value === "string" ? value : (JSON.stringify(value, toLogValue) ?? "undefined");
}

/** Lines within this time are written together: one system call for a burst of reconciliations. */
const FLUSH_DELAY_MS = 20;

/** Returns a function that buffers lines and writes them together. The rest is written when the process exits. */
export function bufferLines(write: (text: string) => void, wait = FLUSH_DELAY_MS): (line: string) => void {
  let text = "";
  const flush = () => {
    const buffered = text;
    text = "";
    if (buffered !== "") write(buffered);
  };
  return (line) => {
    if (text === "") {
      flushOnExit(flush);
      setTimeout(() => {
        unflushed.delete(flush);
        flush();
      }, wait).unref();
    }
    text += `${line}\n`;
  };
}

/** One exit listener for all buffers: a process can have many managers. */
const unflushed = new Set<() => void>();
let listening = false;
function flushOnExit(flush: () => void): void {
  unflushed.add(flush);
  if (listening) return;
  listening = true;
  process.once("exit", () => {
    for (const each of unflushed) each();
  });
}

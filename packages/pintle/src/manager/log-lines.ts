import { type Fields, isBug, type Logger } from "../controller/index.ts";
import { extended } from "../kinds/index.ts";
import type { Clock } from "../queue/index.ts";
import { gathered } from "./gathered.ts";

export type Level = "debug" | "info" | "warn" | "error";
const LEVELS: readonly Level[] = ["debug", "info", "warn", "error"];

export interface LogOptions {
  readonly clock: Clock;
  readonly write: (line: string) => void;
  /** Lines below this are left out. Default: "info". */
  readonly level?: Level | undefined;
  /** For people at a terminal rather than for machines. */
  readonly plain?: boolean | undefined;
}

/** A logger that writes one line per message: JSON, or text for a terminal. */
export function logLines(options: LogOptions, fields: Fields = {}): Logger {
  const from = LEVELS.indexOf(options.level ?? "info");
  const at = (level: Level) => (message: string, more?: Fields) => {
    if (LEVELS.indexOf(level) < from) return;
    const time = new Date(options.clock.now()).toISOString();
    const all = more === undefined ? fields : extended(fields, more);
    options.write(options.plain ? text(time, level, message, all) : JSON.stringify({ time, level, message, ...all }, plainValue));
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    with: (more) => logLines(options, { ...fields, ...more }),
  };
}

/** To standard error, as text for a terminal, where every line is seen at once. */
export function stderrLogger(clock: Clock): Logger {
  const plain = process.stderr.isTTY;
  const write = (text: string) => void process.stderr.write(text);
  return logLines({ clock, write: plain ? (line) => write(`${line}\n`) : gathered(write), plain });
}

/** Errors say what happened; those that are bugs rather than answers also say where. */
function plainValue(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (!(value instanceof Error)) return value;
  return isBug(value) ? { message: value.message, stack: value.stack } : value.message;
}

function text(time: string, level: Level, message: string, fields: Fields): string {
  const parts = Object.entries(fields).map(([name, value]) => `${name}=${fieldText(value)}`);
  return [time.slice(11, 23), level.padEnd(5), message, ...parts].join(" ");
}
function fieldText(value: unknown): string {
  if (value instanceof Error) return isBug(value) ? (value.stack ?? value.message) : value.message;
  if (Array.isArray(value)) return `[${value.map(fieldText).join(", ")}]`;
  return typeof value === "string" ? value : JSON.stringify(value, plainValue);
}

/** Key-value pairs of a log line. */
export interface LogFields {
  readonly [name: string]: unknown;
}
/** A structured logger. Any logging library can be adapted to it. */
export interface Logger {
  /** Logs details for the search for a defect. */
  debug(message: string, fields?: LogFields): void;
  /** Logs normal operation. */
  info(message: string, fields?: LogFields): void;
  /** Logs what may need attention. */
  warn(message: string, fields?: LogFields): void;
  /** Logs a failure. */
  error(message: string, fields?: LogFields): void;
  /** Returns a logger that adds these fields to every line. */
  with(fields: LogFields): Logger;
}

/**
 * A logger that discards everything.
 *
 * @example
 * ```ts
 * import { type Controller, silentLogger, startManager } from "pintle";
 *
 * export const startQuietly = (controllers: readonly Controller[]) => startManager({ controllers, logger: silentLogger });
 * ```
 */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {}, with: () => silentLogger };

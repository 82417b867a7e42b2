/** Values that go beside a message, for people and for machines. */
export interface Fields {
  readonly [name: string]: unknown;
}
export interface Logger {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** The same logger with more fields on every line. */
  with(fields: Fields): Logger;
}

export const silent: Logger = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };

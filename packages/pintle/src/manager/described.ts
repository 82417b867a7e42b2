import type { StartOptions } from "./options.ts";

/**
 * A tool that wants to know what an operator is made of, without running it, leaves a function under this name on
 * `globalThis`: `run()` then hands over its options and does nothing else. A registered symbol, so that it works
 * whichever copy of this package the operator imports.
 */
export const DESCRIBE: unique symbol = Symbol.for("pintle.describe") as never;

export type Describe = (options: StartOptions) => void;

/** True when somebody only wanted to know. */
export function described(options: StartOptions): boolean {
  const describe = (globalThis as { [DESCRIBE]?: Describe })[DESCRIBE];
  describe?.(options);
  return describe !== undefined;
}

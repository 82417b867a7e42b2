import type { ManagerOptions } from "./options.ts";

/**
 * The key of a hook on `globalThis`. A tool that inspects an operator without running it sets a function there: `run()` then only calls it with its
 * options. A registered symbol, so that it works with any copy of this package.
 */
export const DESCRIBE_HOOK: unique symbol = Symbol.for("pintle.describe") as never;

/** Receives the options of `run()`. */
export type DescribeHook = (options: ManagerOptions) => void;

/** Calls the hook if one is set, and returns whether it is. */
export function callDescribeHook(options: ManagerOptions): boolean {
  const describe = (globalThis as { [DESCRIBE_HOOK]?: DescribeHook })[DESCRIBE_HOOK];
  describe?.(options);
  return describe !== undefined;
}

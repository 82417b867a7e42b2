import type { Controller } from "../controller/index.ts";
import { PintleError } from "../errors/index.ts";

/** The hook that `run()` calls instead of running: see `DescribeHook`. */
const DESCRIBE_HOOK = Symbol.for("pintle.describe");
type Hook = (options: { readonly controllers: readonly Controller[] }) => void;

/**
 * Returns the controllers that a program passes to `run()`, without running them.
 *
 * @example
 * ```ts
 * import { loadControllers } from "pintle/testing";
 *
 * const program = "../src/main.ts";
 * const controllers = await loadControllers(() => import(program));
 * ```
 */
export async function loadControllers(importProgram: () => Promise<unknown>): Promise<readonly Controller[]> {
  const global = globalThis as { [DESCRIBE_HOOK]?: Hook };
  const previous = global[DESCRIBE_HOOK];
  let controllers: readonly Controller[] | undefined;
  global[DESCRIBE_HOOK] = (options) => {
    controllers = options.controllers;
  };
  try {
    await importProgram();
  } finally {
    if (previous === undefined) delete global[DESCRIBE_HOOK];
    else global[DESCRIBE_HOOK] = previous;
  }
  if (controllers === undefined) throw new PintleError("PINTLE3205", "the program does not call run(), or was imported before");
  return controllers;
}

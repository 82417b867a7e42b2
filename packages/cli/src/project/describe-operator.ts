/** The child process that describes an operator: imports its bundle, reports the options of `run()`, and exits. */
import type { DescribeHook, ManagerOptions } from "pintle/internal/manager";
import type { OperatorDescription } from "./operator.ts";

export type DescribeReport = { readonly operator: OperatorDescription } | { readonly error: string };

const file = process.argv[2]!;
let startOptions: ManagerOptions | undefined;
// `run()` reads this global; this process does not load the library before the operator does.
(globalThis as Record<symbol, unknown>)[Symbol.for("pintle.describe")] = ((options) => {
  startOptions = options;
}) satisfies DescribeHook;

let report: DescribeReport;
try {
  await import(file);
  report =
    startOptions === undefined
      ? { error: "does not call run()" }
      : { operator: (await import("./operator-from-options.ts")).operatorFromOptions(startOptions) };
} catch (error) {
  report = { error: error instanceof Error ? (error.name === "Error" ? error.message : `${error.name}: ${error.message}`) : String(error) };
}
// Exits although the operator may have left timers or sockets open.
process.send!(report, () => process.exit(0));

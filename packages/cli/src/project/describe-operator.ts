/** The program that `pintle` starts to learn what an operator is made of: imports it, reports, ends. */
import type { Describe, StartOptions } from "pintle/manager";
import type { Operator } from "./operator.ts";

export type Report = { readonly operator: Operator } | { readonly error: string };

const file = process.argv[2]!;
let given: StartOptions | undefined;
// The name that `run()` looks for; the library itself is loaded by the operator, if at all.
(globalThis as Record<symbol, unknown>)[Symbol.for("pintle.describe")] = ((options) => {
  given = options;
}) satisfies Describe;

let report: Report;
try {
  await import(file);
  report = given === undefined ? { error: "never calls run()" } : { operator: (await import("./operator-of.ts")).operatorOf(given) };
} catch (error) {
  report = { error: error instanceof Error ? (error.name === "Error" ? error.message : `${error.name}: ${error.message}`) : String(error) };
}
// An operator may have left timers or sockets open beside run().
process.send!(report, () => process.exit(0));

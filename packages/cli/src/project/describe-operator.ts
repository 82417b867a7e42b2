/** The child process that describes an operator: imports its bundle, reports the options of `run()`, and exits. */
import { fileURLToPath } from "node:url";
import type { DescribeHook, ManagerOptions } from "pintle/internal/manager";
import type { OperatorDescription } from "./operator.ts";

export type DescribeReport = { readonly operator: OperatorDescription } | ImportFailure;
/** Why the program could not be imported. */
export interface ImportFailure {
  readonly error: string;
  /** Path, line and column of the first frame in the source of the project; undefined if none is. */
  readonly place?: string | undefined;
}

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
  report = { error: describeError(error), place: findPlace(error) };
}

/** One line with the causes. The library's formatter cannot be used, because the library is not loaded here. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.name === "Error" ? error.message : `${error.name}: ${error.message}`;
  return error.cause instanceof Error ? `${own}: ${describeError(error.cause)}` : own;
}

function findPlace(error: unknown): string | undefined {
  const frames = error instanceof Error ? (error.stack ?? "").split("\n").filter((line) => line.startsWith("    at ")) : [];
  const places = frames.map((frame) => frame.slice(frame.lastIndexOf(" ") + 1).replace(/^\(|\)$/g, ""));
  return places.map((place) => (place.startsWith("file:") ? fileURLToPath(place) : place)).find((place) => isProjectFile(place));
}

function isProjectFile(place: string): boolean {
  return place.startsWith(process.cwd()) && !place.slice(process.cwd().length).includes("node_modules") && !place.includes("/.pintle/run/");
}

// Exits although the operator may have left timers or sockets open.
process.send!(report, () => process.exit(0));

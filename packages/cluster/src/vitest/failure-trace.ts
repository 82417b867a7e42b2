import path from "node:path";
import { PintleError } from "pintle/internal/errors";
import type { Cluster } from "../index.ts";

/** When tests write trace files: "on": always, "on-failure", or "off". */
export type TraceMode = "on" | "on-failure" | "off";

/** Returns the mode of PINTLE_TRACE. Default: "on-failure" in CI, where the cluster is gone afterwards, else "off", because recording costs time. */
export function traceMode({ PINTLE_TRACE: mode, CI: ci = "" }: NodeJS.ProcessEnv = process.env): TraceMode {
  if (mode === "on" || mode === "on-failure" || mode === "off") return mode;
  if (mode === undefined || mode === "") return ci === "" || ci === "false" || ci === "0" ? "off" : "on-failure";
  throw new PintleError("PINTLE6574", `PINTLE_TRACE=${mode} is not known: use on, on-failure or off`);
}

/** A test of vitest, as far as a trace file names it. */
interface TestTask {
  readonly name: string;
  readonly fullTestName?: string | undefined;
  readonly file?: { readonly filepath?: string | undefined } | undefined;
  readonly result?:
    | {
        readonly errors?:
          | readonly {
              readonly message?: string | undefined;
              readonly stack?: string | undefined;
              readonly expected?: unknown;
              readonly actual?: unknown;
            }[]
          | undefined;
      }
    | undefined;
}

/** Where the files are written, from the working directory. CI keeps this folder as an artifact. */
const FOLDER = path.join(".pintle", "traces");
const MAX_NAME = 80;
const written = new Map<string, number>();

/** Writes the trace file of a test, and prints its name. Never rejects: the failure of the test is what counts. */
export async function writeFailureTrace(cluster: Cluster, task: TestTask, output: string): Promise<void> {
  if (traceMode() === "off" || cluster.recorder === undefined) return;
  const { name, fullTestName = name, file: { filepath = "" } = {}, result } = task;
  const [error] = result?.errors ?? [];
  const { redactText } = cluster.recorder.redactor;
  const base = `${path.basename(filepath).replace(/\.test\.[cm]?[jt]sx?$/, "")}-${redactText(name)}`
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .join("-")
    .slice(0, MAX_NAME);
  // Retries and repeated names get files of their own.
  const count = (written.get(base) ?? 0) + 1;
  written.set(base, count);
  const file = path.join(FOLDER, `${base}${count === 1 ? "" : `-${count}`}.pintle-trace`);
  try {
    await cluster.writeTrace(file, {
      source: "test",
      test: {
        name: fullTestName,
        file: path.relative(process.cwd(), filepath),
        error: error?.stack ?? error?.message,
        expected: formatValue(error?.expected, redactText),
        actual: formatValue(error?.actual, redactText),
      },
      output,
    });
    console.error(`trace file: ${file}\n  pintle trace show ${file}`);
  } catch (failure) {
    console.error(`no trace file: ${(failure as Error).message}`);
  }
}

const MAX_VALUE = 10_000;

/** Without secrets before it is cut: half of a secret is not recognized. */
function formatValue(value: unknown, redactText: (text: string) => string): string | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  return text === undefined ? undefined : redactText(text).slice(0, MAX_VALUE);
}

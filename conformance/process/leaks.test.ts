/** Starts and stops clusters of every kind in one process: no memory, handle, file or process may leak. */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { full } from "../sampling.ts";

const PROGRAM = path.join(import.meta.dirname, "many-clusters.ts");
const [count, every] = full ? [200, 40] : [20, 10];
/** A leaked cluster costs megabytes. Allowed bytes per cluster, beyond what the engine allocates while code warms up. */
const NOISE = full ? 50_000 : 500_000;

interface Leftovers {
  readonly heap: number;
  readonly handles: number;
  readonly files: number;
  readonly processes: number;
  readonly timers: number;
}

test(`${count} clusters`, { timeout: 1_500_000 }, async () => {
  const args = ["--expose-gc", "--conditions=@pintle/source", "--import", "tsx", PROGRAM, String(count), String(every)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  const seen = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Leftovers);
  // The first clusters initialise what all share.
  const [, first, ...later] = seen;
  const last = later.at(-1)!;
  const each = (last.heap - first!.heap) / (count - every);
  console.log(`${count} clusters: ${(each / 1000).toFixed(1)} kB of each stayed; ${JSON.stringify(seen)}`);
  for (const { handles, processes, timers, files } of later) {
    expect({ handles, processes, timers }).toEqual({ handles: 0, processes: 0, timers: 0 });
    expect(files).toBeLessThanOrEqual(first!.files);
  }
  expect(each).toBeLessThan(NOISE);
});

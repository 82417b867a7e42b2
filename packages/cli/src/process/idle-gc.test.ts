import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const HOLDS = 900_000;

/** Allocates a large heap, releases it, and prints the heap size before and after an idle period. */
const script = (module: string) => `
import { setTimeout as delay } from "node:timers/promises";
import { collectGarbageWhenIdle } from ${JSON.stringify(module)};
collectGarbageWhenIdle(200);
let objects = Array.from({ length: ${HOLDS} }, (_, i) => ({ i, text: [String(i), { a: [i, i, i, i, i, i, i, i, i, i] }] }));
const before = process.memoryUsage().heapUsed;
objects = undefined;
for (let i = 0; i < 50 && process.memoryUsage().heapUsed > before / 2; i++) await delay(200);
console.log(JSON.stringify([before, process.memoryUsage().heapUsed]));
`;

test("collects unused memory when the process is idle", async () => {
  const module = fileURLToPath(new URL("./idle-gc.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script(module)]);
  const [much, left] = JSON.parse(stdout) as [number, number];
  expect(much).toBeGreaterThan(150e6);
  expect(left).toBeLessThan(much / 2);
});

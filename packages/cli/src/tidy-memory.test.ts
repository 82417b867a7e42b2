import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const HOLDS = 900_000;

/** Holds much, lets go of it, and says what the heap has before and after it has had nothing to do. */
const script = (module: string) => `
import { setTimeout as delay } from "node:timers/promises";
import { tidyMemory } from ${JSON.stringify(module)};
tidyMemory(200);
let held = Array.from({ length: ${HOLDS} }, (_, i) => ({ i, text: [String(i), { a: [i, i, i, i, i, i, i, i, i, i] }] }));
const much = process.memoryUsage().heapUsed;
held = undefined;
for (let i = 0; i < 50 && process.memoryUsage().heapUsed > much / 2; i++) await delay(200);
console.log(JSON.stringify([much, process.memoryUsage().heapUsed]));
`;

test("memory that is not needed any more is given back when nothing happens", async () => {
  const module = fileURLToPath(new URL("./tidy-memory.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script(module)]);
  const [much, left] = JSON.parse(stdout) as [number, number];
  expect(much).toBeGreaterThan(150e6);
  expect(left).toBeLessThan(much / 2);
});

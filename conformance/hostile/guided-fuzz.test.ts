import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { CoverageFuzzResult } from "../../packages/cluster/test/hostile/fuzz/fuzz-with-coverage.ts";
import { parsers } from "../../packages/cluster/test/hostile/fuzz/parsers.ts";
import { full, seed } from "../sampling.ts";

const count = full ? 50_000 : 500;
const selected = full ? parsers : parsers.filter((_, index) => (index + seed) % 6 === 0);

async function fuzz(name: string, seed: number, count: number): Promise<CoverageFuzzResult> {
  const flags = ["--no-warnings", "--conditions=@pintle/source", "--import", "tsx"];
  const args = [...flags, join(import.meta.dirname, "guided-fuzz.ts"), name, String(seed), String(count)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 28 });
  return JSON.parse(stdout) as CoverageFuzzResult;
}

test.each(selected)(
  `the parser of $name throws only its own errors for ${count} inputs that look for new code`,
  { timeout: 60 * 60_000 },
  async ({ name }) => {
    expect((await fuzz(name, seed, count)).failures).toEqual([]);
  },
);

test("inputs that look for new code get through one check after the other", async () => {
  const { failures, kept } = await fuzz("keyword", 2, 60_000);
  expect(kept).toBeGreaterThan(1);
  expect(failures[0]).toMatch(/found$/);
});

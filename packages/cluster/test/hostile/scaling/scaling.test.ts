import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/index.ts";
import { scalingCases } from "./cases.ts";
import { measureGrowth } from "./measure-growth.ts";
import { writeCases } from "./write-cases.ts";

/** Twice the input may take this many times as long. */
const MAX_GROWTH = 2.5;

test.each(scalingCases)(
  "$name takes linear time",
  async (scalingCase) => {
    expect(await measureGrowth(scalingCase, MAX_GROWTH)).toBeLessThanOrEqual(MAX_GROWTH);
  },
  60_000,
);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ without: true });
});
afterAll(() => cluster.stop());

test.each(writeCases)(
  "a write with many $name takes linear time",
  async ({ name, path, build, maxSize }) => {
    const run = (body: never) => cluster.transport.request({ method: "POST", path, query: { dryRun: "All" }, body });
    expect(await measureGrowth({ name, input: build, run, maxSize }, MAX_GROWTH)).toBeLessThanOrEqual(MAX_GROWTH);
  },
  60_000,
);

import { expect, test } from "vitest";
import { lives } from "./lives.ts";

test("clusters come and go: no memory, no handle and no process stays", async () => {
  const { heap, handles } = await lives(25);
  expect(handles).toEqual([]);
  // A cluster that stays costs five megabytes. What is left is noise of the engine, which so few clusters share; many are in conformance/faults.
  expect(heap).toBeLessThan(500_000);
}, 120_000);

import { expect, test } from "vitest";
import { lives } from "./lives.ts";

test("clusters come and go: no memory, no handle and no process stays", async () => {
  const { heap, handles } = await lives(25);
  expect(handles).toEqual([]);
  // A cluster that stays costs megabytes; what is left is noise of the engine.
  expect(heap).toBeLessThan(100_000);
}, 120_000);

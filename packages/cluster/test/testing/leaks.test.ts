import { expect, test } from "vitest";
import { runClusterLifecycles } from "./cluster-lifecycles.ts";

test("releases memory, handles and processes of stopped clusters", async () => {
  const { heap, handles } = await runClusterLifecycles(25);
  expect(handles).toEqual([]);
  // A leaked cluster costs five megabytes; the rest is engine noise spread over few clusters. conformance/faults runs many more.
  expect(heap).toBeLessThan(500_000);
}, 120_000);

import { expect, test } from "vitest";
import { rankFunctions } from "./function-costs.ts";

const frame = (functionName: string) => ({ functionName, url: "file:///a/b/c.js", lineNumber: 4 });

test("ranks functions by self time, with total time including callees, and leaves idle time out", () => {
  const costs = rankFunctions({
    nodes: [
      { id: 1, callFrame: { functionName: "(root)", url: "", lineNumber: -1 }, children: [2, 4] },
      { id: 2, callFrame: frame("outer"), children: [3] },
      { id: 3, callFrame: frame("inner"), children: [5] },
      { id: 4, callFrame: { functionName: "(idle)", url: "", lineNumber: -1 } },
      { id: 5, callFrame: frame("outer") },
    ],
    samples: [2, 3, 3, 4, 5],
    timeDeltas: [1000, 2000, 2000, 9000, 500],
  });
  expect(costs).toEqual([
    { name: "inner b/c.js:5", self: 4, total: 4.5 },
    { name: "outer b/c.js:5", self: 1.5, total: 5.5 },
  ]);
});

test("ranks functions by the live memory that they allocated", () => {
  const head = {
    callFrame: { functionName: "(root)", url: "", lineNumber: -1 },
    selfSize: 0,
    children: [{ callFrame: frame("parse"), selfSize: 2048, children: [] }],
  };
  expect(rankFunctions({ head })).toEqual([{ name: "parse b/c.js:5", self: 2, total: 2 }]);
});

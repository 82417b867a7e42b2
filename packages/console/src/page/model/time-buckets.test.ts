import { expect, test } from "vitest";
import { FactColumns } from "../data/fact-columns.ts";
import { bucketTime, indexOfRevision } from "./time-buckets.ts";

test("counts the facts around each commit, and keeps the worst tone", () => {
  const columns = new FactColumns(20);
  const base = { time: 0, type: "commit", text: "" } as const;
  columns.append([
    { ...base, sequence: 1, tone: "normal", revision: 5 },
    { ...base, sequence: 2, tone: "error" },
    { ...base, sequence: 3, tone: "noise" },
    { ...base, sequence: 4, tone: "normal", revision: 9 },
    { ...base, sequence: 5, tone: "normal", revision: 12 },
  ]);
  const { revisions, buckets } = bucketTime(columns, 2);
  expect(revisions).toEqual([5, 9, 12]);
  expect(buckets).toEqual([
    { count: 2, worst: "error" },
    { count: 2, worst: "normal" },
  ]);
  expect(bucketTime(new FactColumns(1), 100)).toEqual({ revisions: [], buckets: [] });
});

test("finds the newest commit at a revision", () => {
  expect([4, 5, 8, 9, 100].map((at) => indexOfRevision([5, 9, 12], at))).toEqual([0, 0, 0, 1, 2]);
});

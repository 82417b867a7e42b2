import { expect, test } from "vitest";
import type { FactRow } from "../../protocol.ts";
import { FactColumns } from "./fact-columns.ts";

const row = (sequence: number, more: Partial<FactRow> = {}): FactRow => ({
  sequence,
  time: sequence * 10,
  type: "run",
  text: `run ${sequence}`,
  tone: "normal",
  object: undefined,
  controller: undefined,
  run: undefined,
  request: undefined,
  revision: undefined,
  code: undefined,
  duration: undefined,
  build: undefined,
  ...more,
});

test("returns rows as they were added, and ignores rows that it has", () => {
  const columns = new FactColumns(10);
  const full = row(7, {
    object: "core/pods/d/p",
    controller: "c",
    run: "a-1",
    request: "a-1.1",
    revision: 9,
    code: 403,
    duration: 1.5,
    build: 2,
  });
  columns.append([row(3), full]);
  columns.append([row(3), full, row(8)]);
  expect([columns.length, columns.last]).toEqual([3, 8]);
  expect([columns.row(0), columns.row(1)]).toEqual([row(3), full]);
});

test("drops the oldest tenth at its limit", () => {
  const columns = new FactColumns(10);
  for (let i = 1; i <= 25; i++) columns.append([row(i, { object: `o${i}` })]);
  expect(columns.length).toBeLessThanOrEqual(10);
  expect(columns.row(columns.length - 1)).toMatchObject({ sequence: 25, text: "run 25", object: "o25" });
  expect(columns.row(0).text).toBe(`run ${columns.row(0).sequence}`);
});

test("filters by words in text, object and controller, by type, noise and time", () => {
  const columns = new FactColumns(10);
  columns.append([
    row(1, { text: "Applied Deployment", object: "apps/deployments/default/web" }),
    row(2, { text: "patched", object: "apps/deployments/default/web", type: "request" }),
    row(3, { text: "nothing", controller: "web-controller", tone: "noise" }),
    row(4, { text: "failed", tone: "error" }),
  ]);
  expect([...columns.filter({ text: "WEB", noise: true })]).toEqual([0, 1, 2]);
  expect([...columns.filter({ text: "web applied", noise: true })]).toEqual([0]);
  expect([...columns.filter({ types: ["request"], noise: false })]).toEqual([1]);
  expect([...columns.filter({ noise: false, until: 30 })]).toEqual([0, 1]);
});

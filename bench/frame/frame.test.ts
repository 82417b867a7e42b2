import { describe, expect, test } from "vitest";
import { chart } from "./chart.ts";
import { growth } from "./curve.ts";
import { compared, noise } from "./noise.ts";
import { spread, spreadText } from "./spread.ts";
import { type Table, tableText } from "./table.ts";
import { turns } from "./turns.ts";

const table = (...figures: readonly (readonly [string, readonly number[]])[]): Table => ({
  title: "Work",
  columns: [{ name: "time", unit: "s", better: "less", digits: 1 }],
  rows: figures.map(([side, all]) => ({ case: "a <b>", side, figures: { time: spread(all) } })),
});

test("a spread is the median with least and most; a figure taken once has none to show", () => {
  expect(spreadText(spread([3, 1, 2]), 1)).toBe("2.0 (1.0 to 3.0)");
  expect(spreadText(spread([1234.5]), 0)).toBe("1,235");
});

describe("growth", () => {
  const points = (cost: (n: number) => number) => [100, 200, 400, 800].map((n) => ({ n, cost: cost(n) }));
  test.each([
    ["n", (n: number) => n, true],
    ["n log n", (n: number) => n * Math.log2(n), true],
    ["a fixed part and n", (n: number) => 500 + n, true],
    ["n squared", (n: number) => n * n, false],
    ["n to the power of 1.5", (n: number) => n ** 1.5, false],
  ])("%s", (_, cost, holds) => {
    expect(growth(points(cost)).holds).toBe(holds);
  });
});

describe("noise", () => {
  test("is half the way from least to most, as a part of the median", () => {
    expect(noise([table(["pintle", [9, 10, 11]], ["kopf", [10, 20, 30]])])).toEqual({
      usual: 0.5,
      worst: 0.5,
      worstOf: "Work, a <b>, kopf, time",
    });
    expect(noise([table(["pintle", [1]])])).toBeUndefined();
  });
  test("two runs agree where their ranges touch", () => {
    const before = [table(["pintle", [10, 10.5, 11]], ["kopf", [20, 20, 20]])];
    const now = [table(["pintle", [10.8, 11, 12]], ["kopf", [40, 41, 42]], ["kube-rs", [1]])];
    expect(compared(before, now)).toEqual({
      within: 1,
      outside: ["Work, a <b>, kopf, time: 20 before, 41 now"],
      byChance: 0.2,
      drifts: [],
    });
  });

  test("what all peers differ by is the machine's, and does not excuse us", () => {
    const run = (pintle: number, machine: number) => [
      table(
        ["pintle", [pintle * 0.99, pintle, pintle * 1.01]],
        ...["kopf", "kube-rs", "pepr"].map((side) => [side, [9.9 * machine, 10 * machine, 10.1 * machine]] as const),
      ),
    ];
    expect(compared(run(5, 1), run(6.5, 1.3))).toMatchObject({ within: 4, outside: [], drifts: ["Work, time: 1.30 times"] });
    expect(compared(run(5, 1), run(5, 1.3)).outside).toEqual(["Work, a <b>, pintle, time: 5 before, 5 now"]);
    expect(compared(run(5, 1), run(6.5, 1)).outside).toEqual(["Work, a <b>, pintle, time: 5 before, 6.5 now"]);
  });
});

test("sides take turns, each round begins with another, and the first does not count", async () => {
  const order: string[] = [];
  const sides = ["pintle", "kopf"].map((name) => ({ name }));
  const rounds = await turns(sides, { repeats: 2, missing: {} }, async ({ name }, round) => {
    order.push(name);
    return round;
  });
  expect(order).toEqual(["kopf", "pintle", "pintle", "kopf", "kopf", "pintle"]);
  expect([...rounds]).toEqual([
    ["pintle", [0, 1]],
    ["kopf", [0, 1]],
  ]);
});

test("a peer that fails is left out and named; we may not fail", async () => {
  const missing: Record<string, string> = {};
  const fails = (who: string) => async (side: { readonly name: string }) => {
    if (side.name === who) throw new Error("no");
    return 1;
  };
  const sides = [{ name: "pintle" }, { name: "kopf" }];
  expect([...(await turns(sides, { repeats: 1, missing }, fails("kopf"))).keys()]).toEqual(["pintle"]);
  expect(missing).toEqual({ kopf: "did not get through: no" });
  await expect(turns(sides, { repeats: 1, missing: {} }, fails("pintle"))).rejects.toThrow("no");
});

test("a table is Markdown, a chart is an SVG with a bar for every row", () => {
  const tables = [table(["pintle", [1, 2, 3]], ["kopf", [4]])];
  expect(tableText(tables[0]!)).toContain("| a <b> | pintle | 2.0 (1.0 to 3.0) |");
  const curves = [{ title: "cost", side: "pintle", of: "objects", unit: "s", points: [10, 20].map((n) => ({ n, cost: n })) }];
  const drawn = chart({ tables, curves });
  expect(drawn.match(/<rect/g)).toHaveLength(2);
  expect(drawn).toContain("a &lt;b>");
  expect(drawn).not.toContain("NaN");
});

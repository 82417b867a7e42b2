import { describe, expect, test } from "vitest";
import { renderChart } from "./results/chart.ts";
import { fitGrowth } from "./results/growth-curve.ts";
import { compareRuns, computeNoise } from "./results/noise.ts";
import { computeSpread, formatSpread } from "./results/spread.ts";
import { formatTable, type Table } from "./results/table.ts";
import { runRounds } from "./rounds.ts";

const table = (...figures: readonly (readonly [string, readonly number[]])[]): Table => ({
  title: "Work",
  columns: [{ name: "time", unit: "s", better: "lower", digits: 1 }],
  rows: figures.map(([side, all]) => ({ case: "a <b>", side, figures: { time: computeSpread(all) } })),
});

test("formats a spread as median, minimum and maximum, and a single measurement without a range", () => {
  expect(formatSpread(computeSpread([3, 1, 2]), 1)).toBe("2.0 (1.0 to 3.0)");
  expect(formatSpread(computeSpread([1234.5]), 0)).toBe("1,235");
});

describe("fitGrowth accepts growth up to n log n", () => {
  const points = (cost: (n: number) => number) => [100, 200, 400, 800].map((n) => ({ n, cost: cost(n) }));
  test.each([
    ["n", (n: number) => n, true],
    ["n log n", (n: number) => n * Math.log2(n), true],
    ["a constant plus n", (n: number) => 500 + n, true],
    ["n squared", (n: number) => n * n, false],
    ["n to the power of 1.5", (n: number) => n ** 1.5, false],
  ])("%s", (_, cost, isWithinLimit) => {
    expect(fitGrowth(points(cost)).isWithinLimit).toBe(isWithinLimit);
  });
});

describe("noise", () => {
  test("is half the range of the repeats, relative to their median", () => {
    expect(computeNoise([table(["pintle", [9, 10, 11]], ["kopf", [10, 20, 30]])])).toEqual({
      median: 0.5,
      worst: 0.5,
      worstFigure: "Work, a <b>, kopf, time",
    });
    expect(computeNoise([table(["pintle", [1]])])).toBeUndefined();
  });
  test("contains the figures of two runs whose ranges overlap", () => {
    const before = [table(["pintle", [10, 10.5, 11]], ["kopf", [20, 20, 20]])];
    const now = [table(["pintle", [10.8, 11, 12]], ["kopf", [40, 41, 42]], ["kube-rs", [1]])];
    expect(compareRuns(before, now)).toEqual({
      withinCount: 1,
      outside: ["Work, a <b>, kopf, time: 20 before, 41 now"],
      expectedByChance: 0.2,
      drifts: [],
    });
  });

  test("is corrected for the factor that all peers have in common", () => {
    const run = (pintle: number, machine: number) => [
      table(
        ["pintle", [pintle * 0.99, pintle, pintle * 1.01]],
        ...["kopf", "kube-rs", "pepr"].map((side) => [side, [9.9 * machine, 10 * machine, 10.1 * machine]] as const),
      ),
    ];
    expect(compareRuns(run(5, 1), run(6.5, 1.3))).toMatchObject({ withinCount: 4, outside: [], drifts: ["Work, time: 1.30 times"] });
    expect(compareRuns(run(5, 1), run(5, 1.3)).outside).toEqual(["Work, a <b>, pintle, time: 5 before, 5 now"]);
    expect(compareRuns(run(5, 1), run(6.5, 1)).outside).toEqual(["Work, a <b>, pintle, time: 5 before, 6.5 now"]);
  });
});

test("runRounds measures the sides in turn, starts each round with another side and discards the warm-up round", async () => {
  const order: string[] = [];
  const sides = ["pintle", "kopf"].map((name) => ({ name }));
  const rounds = await runRounds(sides, { repeats: 2, missing: {} }, async ({ name }, round) => {
    order.push(name);
    return round;
  });
  expect(order).toEqual(["kopf", "pintle", "pintle", "kopf", "kopf", "pintle"]);
  expect([...rounds]).toEqual([
    ["pintle", [0, 1]],
    ["kopf", [0, 1]],
  ]);
});

test("runRounds reports a peer that fails and continues without it, and fails if pintle fails", async () => {
  const missing: Record<string, string> = {};
  const failFor = (name: string) => async (side: { readonly name: string }) => {
    if (side.name === name) throw new Error("no");
    return 1;
  };
  const sides = [{ name: "pintle" }, { name: "kopf" }];
  expect([...(await runRounds(sides, { repeats: 1, missing }, failFor("kopf"))).keys()]).toEqual(["pintle"]);
  expect(missing).toEqual({ kopf: "failed: no" });
  await expect(runRounds(sides, { repeats: 1, missing: {} }, failFor("pintle"))).rejects.toThrow("no");
});

test("renders a table as Markdown and a chart as SVG with a bar for every row", () => {
  const tables = [table(["pintle", [1, 2, 3]], ["kopf", [4]])];
  expect(formatTable(tables[0]!)).toContain("| a <b> | pintle | 2.0 (1.0 to 3.0) |");
  const curves = [{ title: "cost", side: "pintle", parameter: "objects", unit: "s", points: [10, 20].map((n) => ({ n, cost: n })) }];
  const svg = renderChart({ tables, curves });
  expect(svg.match(/<rect/g)).toHaveLength(2);
  expect(svg).toContain("a &lt;b>");
  expect(svg).not.toContain("NaN");
});

import { median, type Spread } from "./spread.ts";
import type { Table } from "./table.ts";

/** The noise of a figure is half the range of its repeats, relative to their median. This is the noise of a run: the median over its figures, and the worst. */
export interface Noise {
  readonly median: number;
  readonly worst: number;
  readonly worstFigure: string;
}

export function computeNoise(tables: readonly Table[]): Noise | undefined {
  const noises = listFigures(tables)
    .filter(({ figure }) => figure.repeats > 1 && figure.median !== 0)
    .map(({ name, figure }) => ({ name, noise: (figure.max - figure.min) / 2 / Math.abs(figure.median) }))
    .sort((a, b) => a.noise - b.noise);
  const worst = noises.at(-1);
  if (worst === undefined) return undefined;
  return { median: noises[Math.floor(noises.length / 2)]!.noise, worst: worst.noise, worstFigure: worst.name };
}

/** The figures of a run compared with those of the previous run. */
export interface RunComparison {
  readonly withinCount: number;
  readonly outside: readonly string[];
  /** How many figures are expected outside without any difference: the ranges of two times three repeats are disjoint in one case of ten. */
  readonly expectedByChance: number;
  /** The common factor of all peers in a column. The peers are unchanged programs, so the factor is that of the machine. */
  readonly drifts: readonly string[];
}

/** A figure is within noise if the ranges of its repeats overlap, after correction for the machine's drift and widened by the median noise. */
export function compareRuns(before: readonly Table[], now: readonly Table[]): RunComparison {
  const slack = Math.max(computeNoise(before)?.median ?? 0, computeNoise(now)?.median ?? 0);
  const previousFigures = new Map(listFigures(before).map(({ name, figure }) => [name, figure]));
  const pairs = listFigures(now).flatMap((named) => {
    const previous = previousFigures.get(named.name);
    return previous === undefined ? [] : [{ ...named, previous }];
  });
  const drifts = computeDrifts(pairs);
  let withinCount = 0;
  let expectedByChance = 0;
  const outside: string[] = [];
  for (const { name, figure, previous, column } of pairs) {
    const drift = drifts.get(column) ?? 1;
    const margin = slack * previous.median;
    const overlaps = figure.min <= (previous.max + margin) * drift && figure.max >= (previous.min - margin) * drift;
    expectedByChance += disjointProbability(previous.repeats, figure.repeats);
    if (overlaps) withinCount++;
    else outside.push(`${name}: ${formatFigure(previous.median)} before, ${formatFigure(figure.median)} now`);
  }
  const driftTexts = [...drifts]
    .filter(([, drift]) => Math.abs(drift - 1) > slack)
    .map(([column, drift]) => `${column}: ${drift.toFixed(2)} times`);
  return { withinCount, outside, expectedByChance, drifts: driftTexts };
}

interface NamedFigure {
  readonly name: string;
  readonly column: string;
  readonly side: string;
  readonly figure: Spread;
}

const MIN_PEERS = 3;

/** The median factor between the runs over the peers, by column; columns with fewer than three peers have none. */
function computeDrifts(pairs: readonly (NamedFigure & { readonly previous: Spread })[]): ReadonlyMap<string, number> {
  const factors = new Map<string, number[]>();
  for (const { column, side, figure, previous } of pairs) {
    if (side === "pintle" || previous.median <= 0 || figure.median <= 0) continue;
    factors.set(column, [...(factors.get(column) ?? []), figure.median / previous.median]);
  }
  return new Map([...factors].filter(([, all]) => all.length >= MIN_PEERS).map(([column, all]) => [column, median(all)]));
}

/** The probability that all repeats of one run are below or above all repeats of the other, if nothing has changed. */
function disjointProbability(before: number, now: number): number {
  let orders = 1;
  for (let i = 1; i <= now; i++) orders = (orders * (before + i)) / i;
  return Math.min(1, 2 / orders);
}

function listFigures(tables: readonly Table[]): readonly NamedFigure[] {
  return tables.flatMap(({ title, rows }) =>
    rows.flatMap((row) =>
      Object.entries(row.figures).map(([name, figure]) => ({
        name: [title, row.case, row.side, name].filter(Boolean).join(", "),
        column: `${title}, ${name}`,
        side: row.side,
        figure,
      })),
    ),
  );
}

const formatFigure = (figure: number) => Number(figure.toPrecision(3)).toLocaleString("en");

export function formatNoise(noise: Noise): string {
  const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
  return `noise (half the range of the repeats, relative to their median): ${percent(noise.median)}, at worst ${percent(noise.worst)} (${noise.worstFigure})`;
}

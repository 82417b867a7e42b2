import { median, type Spread } from "./spread.ts";
import type { Table } from "./table.ts";

/** What repeats of one run differ by, and what differs between two runs. */
export interface Noise {
  /** Half the way from least to most, as a part of the median: the middle one of all figures, and the worst. */
  readonly usual: number;
  readonly worst: number;
  readonly worstOf: string;
}

export function noise(tables: readonly Table[]): Noise | undefined {
  const all = figuresOf(tables)
    .filter(({ figure }) => figure.repeats > 1 && figure.median !== 0)
    .map(({ name, figure }) => ({ name, part: (figure.most - figure.least) / 2 / Math.abs(figure.median) }))
    .sort((a, b) => a.part - b.part);
  const worst = all.at(-1);
  if (worst === undefined) return undefined;
  return { usual: all[Math.floor(all.length / 2)]!.part, worst: worst.part, worstOf: worst.name };
}

export interface Comparison {
  readonly within: number;
  readonly outside: readonly string[];
  /** How many would be outside by chance: ranges of three repeats of the very same thing miss each other one time in ten. */
  readonly byChance: number;
  /** What all peers together differ by, in one column: they are the same programs, so this is the machine. */
  readonly drifts: readonly string[];
}

/** Two runs agree on a figure when the ranges of their repeats touch, after the machine's drift, and widened by the usual noise of both. */
export function compared(before: readonly Table[], now: readonly Table[]): Comparison {
  const slack = Math.max(noise(before)?.usual ?? 0, noise(now)?.usual ?? 0);
  const old = new Map(figuresOf(before).map(({ name, figure }) => [name, figure]));
  const pairs = figuresOf(now).flatMap((each) => {
    const was = old.get(each.name);
    return was === undefined ? [] : [{ ...each, was }];
  });
  const drifts = driftsOf(pairs);
  let within = 0;
  let byChance = 0;
  const outside: string[] = [];
  for (const { name, figure, was, column } of pairs) {
    const drift = drifts.get(column) ?? 1;
    const wide = slack * was.median;
    const touch = figure.least <= (was.most + wide) * drift && figure.most >= (was.least - wide) * drift;
    byChance += missesByChance(was.repeats, figure.repeats);
    if (touch) within++;
    else outside.push(`${name}: ${shown(was.median)} before, ${shown(figure.median)} now`);
  }
  const told = [...drifts]
    .filter(([, drift]) => Math.abs(drift - 1) > slack)
    .map(([column, drift]) => `${column}: ${drift.toFixed(2)} times`);
  return { within, outside, byChance, drifts: told };
}

interface Figure {
  readonly name: string;
  readonly column: string;
  readonly side: string;
  readonly figure: Spread;
}

const FEWEST_PEERS = 3;

/** By column, the middle one of what the peers' figures were multiplied by; nothing where there are too few to tell. */
function driftsOf(pairs: readonly (Figure & { readonly was: Spread })[]): ReadonlyMap<string, number> {
  const factors = new Map<string, number[]>();
  for (const { column, side, figure, was } of pairs) {
    if (side === "pintle" || was.median <= 0 || figure.median <= 0) continue;
    factors.set(column, [...(factors.get(column) ?? []), figure.median / was.median]);
  }
  return new Map([...factors].filter(([, all]) => all.length >= FEWEST_PEERS).map(([column, all]) => [column, median(all)]));
}

/** The chance that all repeats of one run lie on one side of all of the other: two orders of so many that are alike. */
function missesByChance(before: number, now: number): number {
  let orders = 1;
  for (let i = 1; i <= now; i++) orders = (orders * (before + i)) / i;
  return Math.min(1, 2 / orders);
}

function figuresOf(tables: readonly Table[]): readonly Figure[] {
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

const shown = (figure: number) => Number(figure.toPrecision(3)).toLocaleString("en");

export function noiseText(found: Noise): string {
  const percent = (part: number) => `${(part * 100).toFixed(0)} %`;
  return `noise: half the way from least to most over repeats is ${percent(found.usual)} of the median in the middle, at worst ${percent(found.worst)} (${found.worstOf})`;
}

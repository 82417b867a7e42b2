import type { Spread } from "./spread.ts";
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
}

/** Two runs agree on a figure when the ranges of their repeats touch, widened by the usual noise of both. */
export function compared(before: readonly Table[], now: readonly Table[]): Comparison {
  const slack = Math.max(noise(before)?.usual ?? 0, noise(now)?.usual ?? 0);
  const old = new Map(figuresOf(before).map(({ name, figure }) => [name, figure]));
  let within = 0;
  const outside: string[] = [];
  for (const { name, figure } of figuresOf(now)) {
    const was = old.get(name);
    if (was === undefined) continue;
    const touch = figure.least <= was.most + slack * was.median && figure.most >= was.least - slack * was.median;
    if (touch) within++;
    else outside.push(`${name}: ${shown(was.median)} before, ${shown(figure.median)} now`);
  }
  return { within, outside };
}

function figuresOf(tables: readonly Table[]): readonly { readonly name: string; readonly figure: Spread }[] {
  return tables.flatMap(({ title, rows }) =>
    rows.flatMap((row) =>
      Object.entries(row.figures).map(([name, figure]) => ({ name: [title, row.case, row.side, name].filter(Boolean).join(", "), figure })),
    ),
  );
}

const shown = (figure: number) => Number(figure.toPrecision(3)).toLocaleString("en");

export function noiseText(found: Noise): string {
  const percent = (part: number) => `${(part * 100).toFixed(0)} %`;
  return `noise: half the way from least to most over repeats is ${percent(found.usual)} of the median in the middle, at worst ${percent(found.worst)} (${found.worstOf})`;
}

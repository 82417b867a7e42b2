/**
 * Places what a change caused: x is time, y is the track of the object or controller. Idle gaps are folded, because in most chains nothing happens most of
 * the time.
 */

export interface ChainItem {
  readonly id: string;
  readonly track: string;
  readonly start: number;
  /** Equal to `start` for what takes no time. */
  readonly end: number;
}

export interface PlacedItem {
  readonly id: string;
  /** Index into `tracks`. */
  readonly track: number;
  readonly x: number;
  /** Of what takes time; else 0. */
  readonly width: number;
}

export interface ChainLayout {
  /** In order of their first item. */
  readonly tracks: readonly string[];
  readonly items: readonly PlacedItem[];
  /** Marks of the axis: milliseconds since the first item. */
  readonly ticks: readonly { readonly x: number; readonly ms: number }[];
  /** Where time was folded. */
  readonly folds: readonly { readonly x: number; readonly ms: number }[];
  readonly width: number;
}

/** No less than this between two items of one track, so that both can be clicked, and between two of any, so that arrows lead to the right. */
const MIN_STEP = 76;
const MIN_STEP_ANY = 40;
const PIXELS_PER_MS = 2;
const FOLD_MS = 60;
const FOLD_WIDTH = 40;
const MARGIN = 8;

/** `room`: the width to fill, if less is needed. */
export function layOutChain(items: readonly ChainItem[], room = 0): ChainLayout {
  const sorted = [...items].sort((a, b) => a.start - b.start);
  const times = [...new Set(sorted.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  const tracks = [...new Set(sorted.map(({ track }) => track))];
  const lastInTrack = new Map<string, number>();
  const xOf = new Map<number, number>();
  const folds: { x: number; ms: number }[] = [];
  const first = times[0] ?? 0;
  let x = MARGIN;
  let before = first;
  let lastStart = Number.NEGATIVE_INFINITY;
  for (const time of times) {
    const gap = time - before;
    if (gap > FOLD_MS) {
      folds.push({ x: x + FOLD_WIDTH / 2, ms: gap });
      x += FOLD_WIDTH;
    } else x += gap * PIXELS_PER_MS;
    for (const item of sorted) {
      if (item.start !== time) continue;
      const last = lastInTrack.get(item.track);
      if (last !== undefined && x - last < MIN_STEP) x = last + MIN_STEP;
    }
    const starts = sorted.filter((item) => item.start === time);
    if (starts.length > 0) {
      x = Math.max(x, lastStart + MIN_STEP_ANY);
      lastStart = x;
    }
    for (const item of starts) lastInTrack.set(item.track, x);
    xOf.set(time, x);
    before = time;
  }
  // Items of one track at the same time follow each other.
  const taken = new Map<string, number>();
  const placed = sorted.map((item): PlacedItem => {
    const start = xOf.get(item.start) ?? 0;
    const left = Math.max(start, (taken.get(item.track) ?? Number.NEGATIVE_INFINITY) + MIN_STEP);
    taken.set(item.track, left);
    return { id: item.id, track: tracks.indexOf(item.track), x: left, width: Math.max(0, (xOf.get(item.end) ?? start) - start) };
  });
  const ticks: { x: number; ms: number }[] = [];
  for (const time of times) {
    const at = xOf.get(time) ?? 0;
    if (ticks.length === 0 || at - (ticks.at(-1)?.x ?? 0) >= 72) ticks.push({ x: at, ms: time - first });
  }
  const width = Math.max(x, ...placed.map((item) => item.x)) + MIN_STEP + MARGIN;
  return stretch({ tracks, items: placed, ticks, folds, width }, room);
}

function stretch(layout: ChainLayout, room: number): ChainLayout {
  const factor = (room - MIN_STEP - MARGIN) / (layout.width - MIN_STEP - MARGIN);
  if (!(factor > 1) || !Number.isFinite(factor)) return layout;
  const scale = <T extends { readonly x: number }>(each: T): T => ({ ...each, x: MARGIN + (each.x - MARGIN) * factor });
  return {
    tracks: layout.tracks,
    items: layout.items.map((item) => ({ ...scale(item), width: item.width * factor })),
    ticks: layout.ticks.map(scale),
    folds: layout.folds.map(scale),
    width: room,
  };
}

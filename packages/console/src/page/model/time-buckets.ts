/** What the time bar draws: how much happened around each commit, and the worst of it. */
import { type FactColumns, TONES } from "../data/fact-columns.ts";

export interface TimeBucket {
  /** Number of facts, noise excluded. */
  readonly count: number;
  readonly worst: "error" | "warning" | "normal";
}

export interface TimeBuckets {
  /** Revisions of the commits, ascending; the steps of the bar. Idle time takes no room. */
  readonly revisions: readonly number[];
  readonly buckets: readonly TimeBucket[];
}

const NOISE = TONES.indexOf("noise");

export function bucketTime(columns: FactColumns, number: number): TimeBuckets {
  const revisions: number[] = [];
  const rows: number[] = [];
  for (let i = 0; i < columns.length; i++) {
    const revision = columns.revision[i] ?? 0;
    if (revision > (revisions.at(-1) ?? 0)) {
      revisions.push(revision);
      rows.push(i);
    }
  }
  const buckets = Array.from({ length: Math.min(number, revisions.length) }, (_, bucket): TimeBucket => {
    const from = rows[Math.floor((bucket * revisions.length) / Math.min(number, revisions.length))] ?? 0;
    const next = Math.floor(((bucket + 1) * revisions.length) / Math.min(number, revisions.length));
    const to = rows[next] ?? columns.length;
    let count = 0;
    let worst: number = NOISE;
    for (let i = from; i < to; i++) {
      const tone = columns.tone[i] ?? NOISE;
      if (tone === NOISE) continue;
      count++;
      worst = Math.min(worst, tone);
    }
    const tone = TONES[worst];
    return { count, worst: tone === "error" || tone === "warning" ? tone : "normal" };
  });
  return { revisions, buckets };
}

/** The index of the newest revision that is not newer than `at`; 0 if all are. */
export function indexOfRevision(revisions: readonly number[], at: number): number {
  let low = 0;
  let high = revisions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((revisions[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

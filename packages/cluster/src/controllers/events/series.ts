/** What is known of one thing that was said: where it was written, and how often it has been said. */
export interface Series {
  readonly name: string;
  readonly namespace: string;
  count: number;
  last: number;
  writing: Promise<void>;
}

/** So many different messages about the same thing, then they are counted together. */
const SIMILAR = 10;
const WINDOW = 10 * 60_000;
/** An object may say so many things at once, and one more every so often. */
const BURST = 25;
const REFILL = 5 * 60_000;

interface Group {
  readonly messages: Set<string>;
  last: number;
}

/** Whether something said is new, a repetition, one of too many alike, or too much. Remembers what it was told. */
export function memory() {
  const series = new Map<string, Series>();
  const groups = new Map<string, Group>();
  const allowances = new Map<string, { left: number; at: number }>();

  return {
    /** What was written under a key, while that is remembered. */
    seriesOf: (key: string): Series | undefined => series.get(key),
    keep: (key: string, made: Series): void => bounded(series, key, made),
    /** True when so many alike have been said that this one is counted with them. */
    isOneOfMany(about: string, message: string, now: number): boolean {
      let group = groups.get(about);
      if (group === undefined || now - group.last > WINDOW) {
        group = { messages: new Set(), last: now };
        bounded(groups, about, group);
      }
      group.last = now;
      group.messages.add(message);
      return group.messages.size >= SIMILAR;
    },
    allows(source: string, now: number): boolean {
      const allowance = allowances.get(source) ?? { left: BURST, at: now };
      const refilled = Math.floor((now - allowance.at) / REFILL);
      const left = Math.min(BURST, allowance.left + refilled);
      bounded(allowances, source, { left: Math.max(0, left - 1), at: allowance.at + refilled * REFILL });
      return left > 0;
    },
  };
}

/** So much is remembered; then the oldest goes. */
const MOST = 4096;

function bounded<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  if (map.size <= MOST) return;
  for (const first of map.keys()) {
    map.delete(first);
    return;
  }
}

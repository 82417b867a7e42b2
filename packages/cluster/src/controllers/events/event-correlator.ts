/** A recorded event: the Event object it was written to, and its count. */
export interface RecordedSeries {
  readonly name: string;
  readonly namespace: string;
  count: number;
  lastRecordedAt: number;
  pendingWrite: Promise<void>;
}

/** Similar events, with different messages, beyond this number are aggregated into one. */
const MAX_SIMILAR_EVENTS = 10;
const AGGREGATION_WINDOW = 10 * 60_000;
/** The token bucket of each object: its size, and the interval at which a token is added. */
const SPAM_BURST = 25;
const SPAM_REFILL_INTERVAL = 5 * 60_000;

interface EventAggregate {
  readonly messages: Set<string>;
  lastRecordedAt: number;
}

/** Creates a correlator as in client-go: it aggregates similar events, counts repeated ones and filters spam per object. */
export function createEventCorrelator() {
  const series = new Map<string, RecordedSeries>();
  const groups = new Map<string, EventAggregate>();
  const allowances = new Map<string, { left: number; at: number }>();

  return {
    /** Returns the Event that was written for a key, while it is remembered. */
    getSeries: (key: string): RecordedSeries | undefined => series.get(key),
    putSeries: (key: string, entry: RecordedSeries): void => setBounded(series, key, entry),
    /** Returns whether so many similar events were recorded that this one is aggregated with them. */
    shouldAggregate(aggregateKey: string, message: string, now: number): boolean {
      let group = groups.get(aggregateKey);
      if (group === undefined || now - group.lastRecordedAt > AGGREGATION_WINDOW) {
        group = { messages: new Set(), lastRecordedAt: now };
        setBounded(groups, aggregateKey, group);
      }
      group.lastRecordedAt = now;
      group.messages.add(message);
      return group.messages.size >= MAX_SIMILAR_EVENTS;
    },
    isAllowed(source: string, now: number): boolean {
      const allowance = allowances.get(source) ?? { left: SPAM_BURST, at: now };
      const refilled = Math.floor((now - allowance.at) / SPAM_REFILL_INTERVAL);
      const tokens = Math.min(SPAM_BURST, allowance.left + refilled);
      setBounded(allowances, source, { left: Math.max(0, tokens - 1), at: allowance.at + refilled * SPAM_REFILL_INTERVAL });
      return tokens > 0;
    },
  };
}

/** The limit of each map; the oldest entry is then removed. */
const MAX_ENTRIES = 4096;

function setBounded<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  if (map.size <= MAX_ENTRIES) return;
  for (const first of map.keys()) {
    map.delete(first);
    return;
  }
}

import { heap, type Node } from "./heap.ts";
import { mergeReasons, type Reason } from "./reason.ts";

export interface Wake {
  /** Not before this many milliseconds; the earliest wish wins. */
  readonly after?: number | undefined;
  /** Higher runs first; the highest wish wins. Live changes are 0, first lists LISTED. */
  readonly priority?: number | undefined;
  readonly reason?: Reason | undefined;
}

/** One run of one key. */
export interface Item {
  readonly key: string;
  readonly priority: number;
  readonly reasons: readonly Reason[];
  /** How many wakes were merged into this run. */
  readonly wakes: number;
  /** Failed runs before this one, without a success between. */
  readonly failures: number;
  /** Milliseconds it was ready and had to wait. */
  readonly waited: number;
}

/** How a run ended. */
export type Outcome =
  | { readonly type: "done" }
  /** Success; run again later, unless something happens before. */
  | { readonly type: "again"; readonly after: number; readonly priority?: number | undefined }
  /** Retried with backoff, for ever, and not before `atLeast` milliseconds (a server's Retry-After). */
  | { readonly type: "failed"; readonly error: unknown; readonly atLeast?: number | undefined }
  /** Not retried: waits for the next wake. */
  | { readonly type: "terminal"; readonly error: unknown };

export interface BacklogOptions {
  /** First and longest delay between two failed runs of a key. */
  readonly backoff?: { readonly first: number; readonly cap: number } | undefined;
  /** An entry that waited longer than this gets every fourth turn, whatever its priority. */
  readonly ageing?: number | undefined;
}

/** First lists and resyncs: after every live change. */
export const LISTED = -100;
const BACKOFF = { first: 5, cap: 1_000_000 };
const AGEING = 1_000;
const SHARE = 4;

interface Plan {
  at: number;
  priority: number;
  reasons: readonly Reason[];
  wakes: number;
}
interface Entry {
  readonly key: string;
  state: "ready" | "waiting" | "running";
  plan: Plan;
  /** Order of becoming ready; ties and ages are decided by it. */
  turn: number;
  started: number;
  /** What was wished for while running. */
  next: Plan | undefined;
  byRank: Node<Entry> | undefined;
  byAge: Node<Entry> | undefined;
  byTime: Node<Entry> | undefined;
}
interface Failure {
  count: number;
  retryAt: number;
}

/**
 * Who runs next: the queue without timers, promises or a clock. Every call says what time it is.
 *
 * Guarantees: one entry per key; a key taken is not given out again before `release`; a wake during a run means exactly
 * one more run; of several wakes the earliest time and the highest priority count; no entry starves.
 */
export function backlog(options: BacklogOptions = {}) {
  const { first, cap } = options.backoff ?? BACKOFF;
  const ageing = options.ageing ?? AGEING;
  const entries = new Map<string, Entry>();
  const failures = new Map<string, Failure>();
  const rank = heap<Entry>((a, b) => a.plan.priority > b.plan.priority || (a.plan.priority === b.plan.priority && a.turn < b.turn));
  const age = heap<Entry>((a, b) => a.plan.at < b.plan.at || (a.plan.at === b.plan.at && a.turn < b.turn));
  const time = heap<Entry>((a, b) => a.plan.at < b.plan.at || (a.plan.at === b.plan.at && a.turn < b.turn));
  const depths = new Map<number, number>();
  let turns = 0;
  let taken = 0;

  const count = (priority: number, by: number) => {
    const depth = (depths.get(priority) ?? 0) + by;
    if (depth === 0) depths.delete(priority);
    else depths.set(priority, depth);
  };
  const leave = (entry: Entry) => {
    if (entry.byRank) {
      rank.remove(entry.byRank);
      age.remove(entry.byAge!);
      count(entry.plan.priority, -1);
    }
    if (entry.byTime) time.remove(entry.byTime);
    entry.byRank = entry.byAge = entry.byTime = undefined;
  };
  const enter = (entry: Entry, plan: Plan, now: number) => {
    entry.plan = plan;
    entry.turn = ++turns;
    entry.state = plan.at <= now ? "ready" : "waiting";
    if (entry.state === "waiting") entry.byTime = time.push(entry);
    else {
      entry.byRank = rank.push(entry);
      entry.byAge = age.push(entry);
      count(plan.priority, 1);
    }
  };
  const merged = (plan: Plan | undefined, at: number, priority: number, reasons: readonly Reason[], wakes: number): Plan =>
    plan === undefined
      ? { at, priority, reasons, wakes }
      : {
          at: Math.min(plan.at, at),
          priority: Math.max(plan.priority, priority),
          reasons: mergeReasons(plan.reasons, reasons),
          wakes: plan.wakes + wakes,
        };
  const promote = (now: number) => {
    for (let due = time.peek(); due !== undefined && due.plan.at <= now; due = time.peek()) {
      leave(due);
      enter(due, due.plan, now);
    }
  };

  return {
    /** Wakes a key. */
    add(key: string, now: number, wake: Wake = {}): void {
      const at = now + Math.max(0, wake.after ?? 0);
      const reasons = wake.reason === undefined ? [] : [wake.reason];
      const priority = wake.priority ?? 0;
      const entry = entries.get(key);
      if (entry === undefined) {
        const fresh: Entry = {
          key,
          state: "waiting",
          plan: undefined as never,
          turn: 0,
          started: 0,
          next: undefined,
          byRank: undefined,
          byAge: undefined,
          byTime: undefined,
        };
        entries.set(key, fresh);
        enter(fresh, { at, priority, reasons, wakes: 1 }, now);
      } else if (entry.state === "running") {
        entry.next = merged(entry.next, at, priority, reasons, 1);
      } else {
        const plan = merged(entry.plan, at, priority, reasons, 1);
        if (plan.at === entry.plan.at && plan.priority === entry.plan.priority) entry.plan = plan;
        else {
          leave(entry);
          enter(entry, plan, now);
        }
      }
    },

    /** The entry whose turn it is, now running. */
    take(now: number): Item | undefined {
      promote(now);
      const oldest = age.peek();
      if (oldest === undefined) return undefined;
      const aged = now - oldest.plan.at > ageing && ++taken % SHARE === 0;
      const entry = aged ? oldest : rank.peek()!;
      leave(entry);
      entry.state = "running";
      entry.started = now;
      const { priority, reasons, wakes, at } = entry.plan;
      return { key: entry.key, priority, reasons, wakes, failures: failures.get(entry.key)?.count ?? 0, waited: now - at };
    },

    /** A running key looks at everything anew: wakes up to now are part of this run. Gives their reasons. */
    absorb(key: string, now: number): readonly Reason[] {
      const entry = entries.get(key);
      if (entry?.next === undefined || entry.next.at > now) return [];
      const { reasons, priority } = entry.next;
      entry.next = undefined;
      entry.plan = { ...entry.plan, reasons: mergeReasons(entry.plan.reasons, reasons), priority: Math.max(entry.plan.priority, priority) };
      return reasons;
    },

    /** The run of a taken key ended. */
    release(key: string, now: number, outcome: Outcome = { type: "done" }): void {
      const entry = entries.get(key);
      if (entry?.state !== "running") throw new Error(`queue: ${key} is not running`);
      let next = entry.next;
      entry.next = undefined;
      const { priority, reasons } = entry.plan;
      if (outcome.type === "failed") {
        const failure = failures.get(key) ?? { count: 0, retryAt: entry.started };
        // A wake between two retries runs at once but neither uses up nor restarts the backoff.
        if (entry.started >= failure.retryAt) {
          const delay = Math.min(cap, first * 2 ** failure.count);
          failures.set(key, { count: failure.count + 1, retryAt: now + delay });
        }
        const at = Math.max(now + (outcome.atLeast ?? 0), failures.get(key)!.retryAt);
        failures.get(key)!.retryAt = at;
        next = merged(next, at, priority, mergeReasons(reasons, [{ event: "retry" }]), 0);
      } else {
        failures.delete(key);
        if (outcome.type === "again")
          next = merged(next, now + Math.max(0, outcome.after), outcome.priority ?? priority, [{ event: "requeue" }], 0);
      }
      if (next === undefined) entries.delete(key);
      else enter(entry, next, now);
    },

    /** When the first waiting entry becomes ready; `now` when one already is. */
    dueAt(now: number): number | undefined {
      return age.size > 0 ? now : time.peek()?.plan.at;
    },

    /** Everything that is not running goes. */
    clear(): void {
      for (const entry of [...entries.values()]) {
        entry.next = undefined;
        if (entry.state === "running") continue;
        leave(entry);
        entries.delete(entry.key);
      }
      failures.clear();
    },

    /** Ready entries by priority: what a depth metric shows. */
    get depths(): ReadonlyMap<number, number> {
      return depths;
    },
    get ready(): number {
      return age.size;
    },
    get waiting(): number {
      return time.size;
    },
    has: (key: string): boolean => entries.has(key),
  };
}
export type Backlog = ReturnType<typeof backlog>;

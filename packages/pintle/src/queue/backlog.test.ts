import { describe, expect, test } from "vitest";
import { backlog, type Item, LISTED, type Outcome, type Wake } from "./backlog.ts";
import { seeded } from "./random.ts";

const failed: Outcome = { type: "failed", error: new Error("no") };

describe("backlog", () => {
  test("c-r 7.1 two wakes while queued are one run; a wake during the run is exactly one more", () => {
    const b = backlog();
    b.add("a", 0);
    b.add("a", 0);
    expect(b.take(0)).toMatchObject({ key: "a", wakes: 2 });
    b.add("a", 0);
    b.add("a", 0);
    expect(b.take(0)).toBeUndefined();
    b.release("a", 1);
    expect(b.take(1)).toMatchObject({ key: "a", wakes: 2 });
    b.release("a", 2);
    expect(b.take(2)).toBeUndefined();
    expect(b.has("a")).toBe(false);
  });

  test("c-r 7.3 failures wait 5 ms, 10 ms, ... up to 1000 s; success and `again` start over", () => {
    const b = backlog();
    b.add("a", 0);
    let now = 0;
    const delays: number[] = [];
    for (let i = 0; i < 20; i++) {
      expect(b.take(now)?.failures).toBe(i);
      b.release("a", now, failed);
      const due = b.dueAt(now)!;
      delays.push(due - now);
      now = due;
    }
    expect(delays.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(delays.at(-1)).toBe(1_000_000);
    expect(delays.slice(0, 18).every((delay, n) => delay === Math.min(1_000_000, 5 * 2 ** n))).toBe(true);
    b.take(now);
    b.release("a", now, { type: "again", after: 50 });
    expect(b.dueAt(now)).toBe(now + 50);
    expect(b.take(now + 50)?.failures).toBe(0);
    b.release("a", now + 50, failed);
    expect(b.dueAt(now + 50)).toBe(now + 55);
  });

  test("c-r 7.4 of a timer and a wake the earlier counts, and there is one run", () => {
    const b = backlog();
    b.add("a", 0);
    b.take(0);
    b.release("a", 0, { type: "again", after: 1000 });
    b.add("a", 100);
    expect(b.take(100)?.reasons).toEqual([{ event: "requeue" }]);
    b.release("a", 100);
    expect(b.dueAt(100)).toBeUndefined();
  });

  test("idea 5 a wake between two retries neither resets nor advances the backoff", () => {
    const b = backlog({ backoff: { first: 1000, cap: 300_000 } });
    const retries: number[] = [];
    b.add("a", 0);
    let now = 0;
    for (let i = 0; i < 12; i++) {
      b.take(now);
      b.release("a", now, failed);
      const due = b.dueAt(now)!;
      retries.push((due - now) / 1000);
      b.add("a", now + 10); // something happens
      expect(b.take(now + 10)?.key).toBe("a");
      b.release("a", now + 20, failed);
      expect(b.dueAt(now + 20)).toBe(due);
      now = due;
    }
    expect(retries).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
  });

  test("better 4 Retry-After holds a key back longer than its backoff, never shorter", () => {
    const b = backlog();
    b.add("a", 0);
    b.take(0);
    b.release("a", 0, { ...failed, atLeast: 3000 } as Outcome);
    expect(b.dueAt(0)).toBe(3000);
    b.take(3000);
    b.release("a", 3000, { ...failed, atLeast: 1 } as Outcome);
    expect(b.dueAt(3000)).toBe(3010);
  });

  test("c-r 7.5 a terminal failure waits for the next wake", () => {
    const b = backlog();
    b.add("a", 0);
    b.take(0);
    b.release("a", 0, { type: "terminal", error: "no" });
    expect(b.dueAt(0)).toBeUndefined();
    b.add("a", 5);
    expect(b.take(5)?.failures).toBe(0);
  });

  test("c-r 7.8 first lists run after live changes, a requeue keeps its priority, a result may change it", () => {
    const b = backlog();
    b.add("listed", 0, { priority: LISTED });
    b.add("live", 0);
    b.add("urgent", 0, { priority: 10 });
    expect([b.take(0)!.key, b.take(0)!.key]).toEqual(["urgent", "live"]);
    expect(b.take(0)).toMatchObject({ key: "listed", priority: LISTED });
    b.release("listed", 0, failed);
    expect(b.take(5)).toMatchObject({ key: "listed", priority: LISTED });
    b.release("listed", 5, { type: "again", after: 1, priority: 7 });
    expect(b.take(6)).toMatchObject({ key: "listed", priority: 7 });
  });

  test("better 4, idea 12 first lists finish under constant live load, and live changes hardly notice", () => {
    const b = backlog();
    for (let i = 0; i < 1000; i++) b.add(`listed-${i}`, 0, { priority: LISTED });
    let listed = 0;
    let slowest = 0;
    let now = 0;
    // One run per millisecond, and a fresh live change per millisecond: the queue is never empty.
    for (; listed < 1000 && now < 60_000; now++) {
      b.add(`live-${now}`, now);
      const item = b.take(now)!;
      if (item.key.startsWith("listed")) listed++;
      b.release(item.key, now);
    }
    expect(listed).toBe(1000);
    expect(now).toBeLessThan(10_000);
    // Idea 12: ten thousand listed objects do not hold up a fresh edit.
    const busy = backlog();
    for (let i = 0; i < 10_000; i++) busy.add(`again-${i}`, now, { priority: LISTED });
    for (let i = 0; i < 5000; i++, now++) {
      if (i % 2 === 0) busy.add(`edit-${now}`, now);
      const item = busy.take(now)!;
      if (item.key.startsWith("edit")) slowest = Math.max(slowest, item.waited);
      busy.release(item.key, now);
    }
    expect(slowest).toBeLessThan(10);
  });

  test("better 6 every run knows why: merged, without repetitions, the first ten", () => {
    const b = backlog();
    const pod = (name: string) => ({ reason: { event: "modified", kind: "Pod", namespace: "d", name } }) as Wake;
    b.add("a", 0, pod("x"));
    b.add("a", 0, pod("x"));
    b.add("a", 0, pod("y"));
    const first = b.take(0)!;
    expect(first.reasons.map((r) => r.name)).toEqual(["x", "y"]);
    expect(first.wakes).toBe(3);
    b.release("a", 0, failed);
    const again = b.take(5)!;
    expect(again.reasons.map((r) => r.name ?? r.event)).toEqual(["x", "y", "retry"]);
    b.release("a", 5);
    for (let i = 0; i < 1000; i++) b.add("a", 6, pod(`p${i}`));
    expect(b.take(6)).toMatchObject({ wakes: 1000, reasons: { length: 10 } });
  });
});

/** The same rules, said as slowly and plainly as possible. */
class Model {
  plans = new Map<string, { at: number; priority: number; turn: number; since: number }>();
  next = new Map<string, { at: number; priority: number }>();
  running = new Map<string, { started: number; priority: number }>();
  failures = new Map<string, { count: number; retryAt: number }>();
  turn = 0;
  taken = 0;
  promote(now: number) {
    // Those due become ready in the order of their times, once.
    const due = [...this.plans].filter(([, p]) => p.since === -1 && p.at <= now).sort(([, a], [, b]) => a.at - b.at || a.turn - b.turn);
    for (const [, plan] of due) Object.assign(plan, { since: plan.at, turn: ++this.turn });
  }
  plan(key: string, at: number, priority: number, now: number) {
    this.plans.set(key, { at, priority, turn: ++this.turn, since: at <= now ? at : -1 });
  }
  add(key: string, now: number, after: number, priority: number) {
    const at = now + after;
    if (this.running.has(key)) {
      const next = this.next.get(key) ?? { at: Number.POSITIVE_INFINITY, priority: Number.NEGATIVE_INFINITY };
      this.next.set(key, { at: Math.min(next.at, at), priority: Math.max(next.priority, priority) });
      return;
    }
    const old = this.plans.get(key);
    if (old === undefined) return this.plan(key, at, priority, now);
    if (at >= old.at && priority <= old.priority) return;
    this.plan(key, Math.min(old.at, at), Math.max(old.priority, priority), now);
  }
  take(now: number): { key: string; priority: number } | undefined {
    this.promote(now);
    const ready = [...this.plans].filter(([, p]) => p.since !== -1);
    if (ready.length === 0) return undefined;
    const oldest = ready.reduce((a, b) => (b[1].at < a[1].at || (b[1].at === a[1].at && b[1].turn < a[1].turn) ? b : a));
    const top = ready.reduce((a, b) =>
      b[1].priority > a[1].priority || (b[1].priority === a[1].priority && b[1].turn < a[1].turn) ? b : a,
    );
    const [key, { priority }] = now - oldest[1].at > 1000 && ++this.taken % 4 === 0 ? oldest : top;
    this.plans.delete(key);
    this.running.set(key, { started: now, priority });
    return { key, priority };
  }
  release(key: string, now: number, outcome: Outcome) {
    const { started, priority } = this.running.get(key)!;
    this.running.delete(key);
    const wishes = [...(this.next.has(key) ? [this.next.get(key)!] : [])];
    this.next.delete(key);
    if (outcome.type === "failed") {
      const before = this.failures.get(key) ?? { count: 0, retryAt: started };
      const after =
        started >= before.retryAt ? { count: before.count + 1, retryAt: now + Math.min(1_000_000, 5 * 2 ** before.count) } : { ...before };
      after.retryAt = Math.max(after.retryAt, now + (outcome.atLeast ?? 0));
      this.failures.set(key, after);
      wishes.push({ at: after.retryAt, priority });
    } else {
      this.failures.delete(key);
      if (outcome.type === "again") wishes.push({ at: now + outcome.after, priority: outcome.priority ?? priority });
    }
    if (wishes.length > 0) this.plan(key, Math.min(...wishes.map((w) => w.at)), Math.max(...wishes.map((w) => w.priority)), now);
  }
}

test("backlog agrees with a plain model over random operations", () => {
  for (let seed = 0; seed < 300; seed++) {
    const random = seeded(seed);
    const pick = (n: number) => Math.floor(random() * n);
    const real = backlog();
    const model = new Model();
    const running: string[] = [];
    let now = 0;
    for (let step = 0; step < 400; step++) {
      now += random() < 0.5 ? 0 : pick(random() < 0.1 ? 3000 : 20);
      const action = random();
      if (action < 0.45) {
        const [key, after, priority] = [`k${pick(12)}`, random() < 0.5 ? 0 : pick(200), pick(4) - 2];
        real.add(key, now, { after, priority });
        model.add(key, now, after, priority);
      } else if (action < 0.75) {
        const [mine, its] = [real.take(now), model.take(now)];
        if (mine?.key !== its?.key || mine?.priority !== its?.priority) throw new Error(`took another: seed ${seed} step ${step}`);
        if (mine && running.includes(mine.key)) throw new Error(`runs twice: seed ${seed} step ${step}`);
        if (mine) running.push(mine.key);
      } else if (running.length > 0) {
        const key = running.splice(pick(running.length), 1)[0]!;
        const outcomes: Outcome[] = [
          { type: "done" },
          { type: "again", after: pick(100), priority: random() < 0.3 ? pick(5) : undefined },
          { type: "failed", error: 0, atLeast: random() < 0.3 ? pick(50) : undefined },
          { type: "terminal", error: 0 },
        ];
        const outcome = outcomes[pick(4)]!;
        real.release(key, now, outcome);
        model.release(key, now, outcome);
      }
      const depth = [...real.depths.values()].reduce((a, b) => a + b, 0);
      if (real.ready + real.waiting !== model.plans.size || depth !== real.ready)
        throw new Error(`counts differ: seed ${seed} step ${step}`);
    }
    // Nothing is lost: in the end everything wished for has run.
    for (const key of running) {
      real.release(key, now);
      model.release(key, now, { type: "done" });
    }
    let item: Item | undefined;
    for (let left = model.plans.size; left > 0; left--) {
      now = Math.max(now, real.dueAt(now)!);
      item = real.take(now);
      expect(item?.key).toBe(model.take(now)?.key);
      real.release(item!.key, now);
      model.release(item!.key, now, { type: "done" });
    }
    expect(real.dueAt(now)).toBeUndefined();
  }
});

import { describe, expect, test } from "vitest";
import { seededRandom } from "../clock/index.ts";
import { createKeyQueue, type EnqueueOptions, LOW_PRIORITY, type WorkItem, type WorkOutcome } from "./key-queue.ts";

const failed: WorkOutcome = { type: "failed", error: new Error("no") };

describe("key queue", () => {
  test("RT-1 two enqueues of a queued key are one run; an enqueue during the run is exactly one more", () => {
    const b = createKeyQueue();
    b.add("a", 0);
    b.add("a", 0);
    expect(b.take(0)).toMatchObject({ key: "a", enqueues: 2 });
    b.add("a", 0);
    b.add("a", 0);
    expect(b.take(0)).toBeUndefined();
    b.release("a", 1);
    expect(b.take(1)).toMatchObject({ key: "a", enqueues: 2 });
    b.release("a", 2);
    expect(b.take(2)).toBeUndefined();
    expect(b.has("a")).toBe(false);
  });

  test("RT-3 failures back off by 5 ms, 10 ms, ... up to 1000 s; success and a requeue reset the backoff", () => {
    const b = createKeyQueue();
    b.add("a", 0);
    let now = 0;
    const delays: number[] = [];
    for (let i = 0; i < 20; i++) {
      expect(b.take(now)?.failures).toBe(i);
      b.release("a", now, failed);
      const due = b.nextDueAt(now)!;
      delays.push(due - now);
      now = due;
    }
    expect(delays.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(delays.at(-1)).toBe(1_000_000);
    expect(delays.slice(0, 18).every((delay, n) => delay === Math.min(1_000_000, 5 * 2 ** n))).toBe(true);
    b.take(now);
    b.release("a", now, { type: "requeue", after: 50 });
    expect(b.nextDueAt(now)).toBe(now + 50);
    expect(b.take(now + 50)?.failures).toBe(0);
    b.release("a", now + 50, failed);
    expect(b.nextDueAt(now + 50)).toBe(now + 55);
  });

  test("RT-4 the earlier of a delayed requeue and an enqueue counts, and there is one run", () => {
    const b = createKeyQueue();
    b.add("a", 0);
    b.take(0);
    b.release("a", 0, { type: "requeue", after: 1000 });
    b.add("a", 100);
    expect(b.take(100)?.reasons).toEqual([{ event: "requeue" }]);
    b.release("a", 100);
    expect(b.nextDueAt(100)).toBeUndefined();
  });

  test("RT-58 an enqueue between two retries neither resets nor advances the backoff", () => {
    const b = createKeyQueue({ backoff: { initial: 1000, max: 300_000 } });
    const retries: number[] = [];
    b.add("a", 0);
    let now = 0;
    for (let i = 0; i < 12; i++) {
      b.take(now);
      b.release("a", now, failed);
      const due = b.nextDueAt(now)!;
      retries.push((due - now) / 1000);
      b.add("a", now + 10); // enqueued by an event
      expect(b.take(now + 10)?.key).toBe("a");
      b.release("a", now + 20, failed);
      expect(b.nextDueAt(now + 20)).toBe(due);
      now = due;
    }
    expect(retries).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
  });

  test("RT-37 Retry-After delays a key longer than its backoff, never shorter", () => {
    const b = createKeyQueue();
    b.add("a", 0);
    b.take(0);
    b.release("a", 0, { ...failed, minDelay: 3000 } as WorkOutcome);
    expect(b.nextDueAt(0)).toBe(3000);
    b.take(3000);
    b.release("a", 3000, { ...failed, minDelay: 1 } as WorkOutcome);
    expect(b.nextDueAt(3000)).toBe(3010);
  });

  test("RT-5 a terminal failure is not retried until the next enqueue", () => {
    const b = createKeyQueue();
    b.add("a", 0);
    b.take(0);
    b.release("a", 0, { type: "terminal", error: "no" });
    expect(b.nextDueAt(0)).toBeUndefined();
    b.add("a", 5);
    expect(b.take(5)?.failures).toBe(0);
  });

  test("RT-8 initial lists run after live changes; a requeue keeps its priority unless the outcome changes it", () => {
    const b = createKeyQueue();
    b.add("listed", 0, { priority: LOW_PRIORITY });
    b.add("live", 0);
    b.add("urgent", 0, { priority: 10 });
    expect([b.take(0)!.key, b.take(0)!.key]).toEqual(["urgent", "live"]);
    expect(b.take(0)).toMatchObject({ key: "listed", priority: LOW_PRIORITY });
    b.release("listed", 0, failed);
    expect(b.take(5)).toMatchObject({ key: "listed", priority: LOW_PRIORITY });
    b.release("listed", 5, { type: "requeue", after: 1, priority: 7 });
    expect(b.take(6)).toMatchObject({ key: "listed", priority: 7 });
  });

  test("RT-37, RT-65 initial lists finish under constant live load, with little delay for live changes", () => {
    const b = createKeyQueue();
    for (let i = 0; i < 1000; i++) b.add(`listed-${i}`, 0, { priority: LOW_PRIORITY });
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
    // Ten thousand listed objects do not delay a live change.
    const busy = createKeyQueue();
    for (let i = 0; i < 10_000; i++) busy.add(`again-${i}`, now, { priority: LOW_PRIORITY });
    for (let i = 0; i < 5000; i++, now++) {
      if (i % 2 === 0) busy.add(`edit-${now}`, now);
      const item = busy.take(now)!;
      if (item.key.startsWith("edit")) slowest = Math.max(slowest, item.waitedMs);
      busy.release(item.key, now);
    }
    expect(slowest).toBeLessThan(10);
  });

  test("lists every key with its state, its time and its failures", () => {
    const b = createKeyQueue();
    b.add("runs", 0, { reason: { event: "added" } });
    b.take(0);
    b.add("runs", 10);
    b.add("fails", 10);
    b.take(10);
    b.release("fails", 20, failed);
    b.add("later", 20, { after: 1_000, priority: 3 });
    b.add("ready", 21);
    expect(b.list(22).map(({ key, state, ms, failures, isEnqueuedAgain }) => [key, state, ms, failures, isEnqueuedAgain])).toEqual([
      ["runs", "running", 22, 0, true],
      ["fails", "delayed", 3, 1, false],
      ["later", "delayed", 998, 0, false],
      ["ready", "ready", -1, 0, false],
    ]);
    expect(b.list(25).find(({ key }) => key === "fails")?.state).toBe("ready");
    expect(b.list(22)[0]?.reasons).toEqual([{ event: "added" }]);
  });

  test("RT-39 every run has its reasons: merged, deduplicated, the first ten", () => {
    const b = createKeyQueue();
    const pod = (name: string) => ({ reason: { event: "modified", kind: "Pod", namespace: "d", name } }) as EnqueueOptions;
    b.add("a", 0, pod("x"));
    b.add("a", 0, pod("x"));
    b.add("a", 0, pod("y"));
    const first = b.take(0)!;
    expect(first.reasons.map((r) => r.name)).toEqual(["x", "y"]);
    expect(first.enqueues).toBe(3);
    b.release("a", 0, failed);
    const again = b.take(5)!;
    expect(again.reasons.map((r) => r.name ?? r.event)).toEqual(["x", "y", "retry"]);
    b.release("a", 5);
    for (let i = 0; i < 1000; i++) b.add("a", 6, pod(`p${i}`));
    expect(b.take(6)).toMatchObject({ enqueues: 1000, reasons: { length: 10 } });
  });
});

/** The same rules in their simplest, slowest form. */
class Model {
  plans = new Map<string, { at: number; priority: number; sequence: number; since: number }>();
  next = new Map<string, { at: number; priority: number }>();
  running = new Map<string, { started: number; priority: number }>();
  failures = new Map<string, { count: number; retryAt: number }>();
  sequence = 0;
  taken = 0;
  promote(now: number) {
    // Those due become ready in the order of their times, once.
    const due = [...this.plans]
      .filter(([, p]) => p.since === -1 && p.at <= now)
      .sort(([, a], [, b]) => a.at - b.at || a.sequence - b.sequence);
    for (const [, plan] of due) Object.assign(plan, { since: plan.at, sequence: ++this.sequence });
  }
  plan(key: string, at: number, priority: number, now: number) {
    this.plans.set(key, { at, priority, sequence: ++this.sequence, since: at <= now ? at : -1 });
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
    const oldest = ready.reduce((a, b) => (b[1].at < a[1].at || (b[1].at === a[1].at && b[1].sequence < a[1].sequence) ? b : a));
    const top = ready.reduce((a, b) =>
      b[1].priority > a[1].priority || (b[1].priority === a[1].priority && b[1].sequence < a[1].sequence) ? b : a,
    );
    const [key, { priority }] = now - oldest[1].at > 1000 && ++this.taken % 4 === 0 ? oldest : top;
    this.plans.delete(key);
    this.running.set(key, { started: now, priority });
    return { key, priority };
  }
  release(key: string, now: number, outcome: WorkOutcome) {
    const { started, priority } = this.running.get(key)!;
    this.running.delete(key);
    const schedules = [...(this.next.has(key) ? [this.next.get(key)!] : [])];
    this.next.delete(key);
    if (outcome.type === "failed") {
      const before = this.failures.get(key) ?? { count: 0, retryAt: started };
      const after =
        started >= before.retryAt ? { count: before.count + 1, retryAt: now + Math.min(1_000_000, 5 * 2 ** before.count) } : { ...before };
      after.retryAt = Math.max(after.retryAt, now + (outcome.minDelay ?? 0));
      this.failures.set(key, after);
      schedules.push({ at: after.retryAt, priority });
    } else {
      this.failures.delete(key);
      if (outcome.type === "requeue") schedules.push({ at: now + outcome.after, priority: outcome.priority ?? priority });
    }
    if (schedules.length > 0) this.plan(key, Math.min(...schedules.map((w) => w.at)), Math.max(...schedules.map((w) => w.priority)), now);
  }
}

test("the key queue agrees with a simple model over random operations", () => {
  for (let seed = 0; seed < 300; seed++) {
    const random = seededRandom(seed);
    const pick = (n: number) => Math.floor(random() * n);
    const real = createKeyQueue();
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
        const outcomes: WorkOutcome[] = [
          { type: "done" },
          { type: "requeue", after: pick(100), priority: random() < 0.3 ? pick(5) : undefined },
          { type: "failed", error: 0, minDelay: random() < 0.3 ? pick(50) : undefined },
          { type: "terminal", error: 0 },
        ];
        const outcome = outcomes[pick(4)]!;
        real.release(key, now, outcome);
        model.release(key, now, outcome);
      }
      const depth = [...real.depthByPriority.values()].reduce((a, b) => a + b, 0);
      if (real.ready + real.waiting !== model.plans.size || depth !== real.ready)
        throw new Error(`counts differ: seed ${seed} step ${step}`);
    }
    // No key is lost: every enqueued key has run.
    for (const key of running) {
      real.release(key, now);
      model.release(key, now, { type: "done" });
    }
    let item: WorkItem | undefined;
    for (let left = model.plans.size; left > 0; left--) {
      now = Math.max(now, real.nextDueAt(now)!);
      item = real.take(now);
      expect(item?.key).toBe(model.take(now)?.key);
      real.release(item!.key, now);
      model.release(item!.key, now, { type: "done" });
    }
    expect(real.nextDueAt(now)).toBeUndefined();
  }
});

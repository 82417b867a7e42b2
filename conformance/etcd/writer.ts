import { setTimeout as delay } from "node:timers/promises";
import { type Credentials, call, type Endpoint } from "../../examples/etcd/src/call.ts";

/** What a client sees: it writes and reads all the time. */
export interface Writer {
  /** When so many more writes have been acknowledged. */
  progress(count: number): Promise<void>;
  readonly acknowledged: number;
  /** From now on, what was acknowledged after so many is not expected any more: a restore goes back. */
  forget(after: number): void;
  /** Writes that were acknowledged and that a read, through a quorum, did not find at the time. */
  readonly unread: readonly string[];
  /** Reads everything back. */
  check(): Promise<{ readonly acknowledged: number; readonly missing: readonly string[] }>;
  /** Waits for what is under way, and goes on only with `resume`. */
  pause(): Promise<void>;
  resume(): void;
  stop(): Promise<void>;
}

/** Longer than the 7 s after which etcd gives up on a leader that has just died. */
const PATIENCE = 8_000;
const PAUSE = 20;
const ATTEMPTS = 20;

/** One key after another, through whatever member answers, and each read back through another; remembers which were acknowledged. */
export function writer(endpoints: () => Promise<readonly Endpoint[]>, credentials?: Credentials): Writer {
  let done: string[] = [];
  const unread: string[] = [];
  const stopping = new AbortController();
  let paused: { readonly until: Promise<void>; readonly resume: () => void } | undefined;
  let idle = () => {};
  const waiting = new Set<() => void>();
  const { signal } = stopping;

  async function ask(path: string, body: object, turn: number): Promise<Readonly<Record<string, unknown>> | undefined> {
    const all = await endpoints();
    const from = all.length === 0 ? 0 : turn % all.length;
    for (const endpoint of [...all.slice(from), ...all.slice(0, from)]) {
      try {
        const answer = await call({ endpoint, path, body, credentials, patience: PATIENCE, signal });
        if (answer.ok) return answer.body;
      } catch {
        // Another member may answer.
      }
    }
    return undefined;
  }
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const writing = (async () => {
    for (let i = 0; !signal.aborted; i++) {
      if (paused !== undefined) {
        idle();
        await paused.until;
      }
      const key = `key-${String(i).padStart(6, "0")}`;
      if ((await ask("kv/put", { key: base64(key), value: base64(`value of ${key}`) }, i)) !== undefined) {
        done.push(key);
        const found = await ask("kv/range", { key: base64(key) }, i + 1);
        if (found !== undefined && found["kvs"] === undefined) unread.push(key);
      }
      for (const tell of waiting) tell();
      await delay(PAUSE);
    }
  })();

  return {
    async progress(count) {
      const target = done.length + count;
      while (done.length < target && !signal.aborted)
        await new Promise<void>((resolve) => {
          waiting.add(resolve);
        });
    },
    get acknowledged() {
      return done.length;
    },
    unread,
    forget(after) {
      done = done.slice(0, after);
    },
    async check() {
      const written = [...done];
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const all = await ask("kv/range", { key: base64("key-"), range_end: base64("key."), keys_only: true }, attempt);
        if (all === undefined) continue;
        const kept = new Set(((all["kvs"] ?? []) as readonly { key: string }[]).map(({ key }) => Buffer.from(key, "base64").toString()));
        return { acknowledged: written.length, missing: written.filter((key) => !kept.has(key)) };
      }
      throw new Error("no member answers");
    },
    async pause() {
      let resume = () => {};
      const until = new Promise<void>((resolve) => {
        resume = resolve;
      });
      const isIdle = new Promise<void>((resolve) => {
        idle = resolve;
      });
      paused = { until, resume };
      await isIdle;
    },
    resume() {
      paused?.resume();
      paused = undefined;
    },
    async stop() {
      stopping.abort();
      paused?.resume();
      await writing;
    },
  };
}

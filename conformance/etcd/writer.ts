import { setTimeout as delay } from "node:timers/promises";
import { type Credentials, type Endpoint, sendEtcdRequest } from "../../examples/etcd/src/etcd-request.ts";

/** A client that writes and reads continuously. */
export interface EtcdWriter {
  /** Resolves when `count` more writes have been acknowledged. */
  progress(count: number): Promise<void>;
  readonly acknowledged: number;
  /** Stops expecting the writes after the first `after` ones, because a restore discards them. */
  forget(after: number): void;
  /** Acknowledged writes that a linearizable read did not find immediately afterwards. */
  readonly unread: readonly string[];
  /** Reads everything back. */
  check(): Promise<{ readonly acknowledged: number; readonly missing: readonly string[] }>;
  /** Waits for the write in flight and pauses until `resume`. */
  pause(): Promise<void>;
  resume(): void;
  stop(): Promise<void>;
}

/** Longer than the 7 s after which etcd fails a request to a leader that has just crashed. */
const REQUEST_TIMEOUT_MS = 8_000;
const WRITE_INTERVAL_MS = 20;
const ATTEMPTS = 20;

/** Writes one key after another through any member that responds and reads each through another member; records acknowledged keys. */
export function startWriter(endpoints: () => Promise<readonly Endpoint[]>, credentials?: Credentials): EtcdWriter {
  let acknowledgedKeys: string[] = [];
  const unread: string[] = [];
  const stopping = new AbortController();
  let paused: { readonly until: Promise<void>; readonly resume: () => void } | undefined;
  let idle = () => {};
  const waiting = new Set<() => void>();
  const { signal } = stopping;

  async function sendToAnyMember(path: string, body: object, offset: number): Promise<Readonly<Record<string, unknown>> | undefined> {
    const all = await endpoints();
    const from = all.length === 0 ? 0 : offset % all.length;
    for (const endpoint of [...all.slice(from), ...all.slice(0, from)]) {
      try {
        const answer = await sendEtcdRequest({ endpoint, path, body, credentials, timeoutMs: REQUEST_TIMEOUT_MS, signal });
        if (answer.ok) return answer.body;
      } catch {
        // Another member may respond.
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
      if ((await sendToAnyMember("kv/put", { key: base64(key), value: base64(`value of ${key}`) }, i)) !== undefined) {
        acknowledgedKeys.push(key);
        const found = await sendToAnyMember("kv/range", { key: base64(key) }, i + 1);
        if (found !== undefined && found["kvs"] === undefined) unread.push(key);
      }
      for (const notify of waiting) notify();
      await delay(WRITE_INTERVAL_MS);
    }
  })();

  return {
    async progress(count) {
      const target = acknowledgedKeys.length + count;
      while (acknowledgedKeys.length < target && !signal.aborted)
        await new Promise<void>((resolve) => {
          waiting.add(resolve);
        });
    },
    get acknowledged() {
      return acknowledgedKeys.length;
    },
    unread,
    forget(after) {
      acknowledgedKeys = acknowledgedKeys.slice(0, after);
    },
    async check() {
      const written = [...acknowledgedKeys];
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const all = await sendToAnyMember("kv/range", { key: base64("key-"), range_end: base64("key."), keys_only: true }, attempt);
        if (all === undefined) continue;
        const storedKeys = new Set(
          ((all["kvs"] ?? []) as readonly { key: string }[]).map(({ key }) => Buffer.from(key, "base64").toString()),
        );
        return { acknowledged: written.length, missing: written.filter((key) => !storedKeys.has(key)) };
      }
      throw new Error("no member responds");
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

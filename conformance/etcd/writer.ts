import { setTimeout as delay } from "node:timers/promises";
import type { Pod } from "pintle/kinds/core/v1";
import { endpointsOf } from "../../examples/etcd/src/observe.ts";

export interface Writer {
  /** When so many more writes have been acknowledged. */
  progress(count: number): Promise<void>;
  /** Reads everything back. */
  check(): Promise<{ readonly acknowledged: number; readonly missing: readonly string[] }>;
  stop(): Promise<void>;
}

const PATIENCE = 2_000;
const PAUSE = 20;

/** Writes one key after another through whatever member answers, and remembers which writes were acknowledged. */
export function writer(pods: () => Promise<readonly Pod[]>): Writer {
  const done = new Set<string>();
  let stopped = false;
  let told = () => {};

  async function ask(path: string, body: object): Promise<Record<string, unknown> | undefined> {
    for (const endpoint of endpointsOf(await pods())) {
      try {
        const answer = await fetch(`${endpoint}/v3/${path}`, {
          method: "POST",
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(PATIENCE),
        });
        if (answer.ok) return (await answer.json()) as Record<string, unknown>;
      } catch {
        // Another member may answer.
      }
    }
    return undefined;
  }
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const writing = (async () => {
    for (let i = 0; !stopped; i++) {
      const key = `key-${i}`;
      if ((await ask("kv/put", { key: base64(key), value: base64(`value of ${key}`) })) !== undefined) done.add(key);
      told();
      await delay(PAUSE);
    }
  })();

  return {
    async progress(count) {
      const target = done.size + count;
      while (done.size < target) await new Promise<void>((resolve) => (told = resolve));
    },
    async check() {
      const written = [...done];
      const all = await ask("kv/range", { key: base64("key-"), range_end: base64("key."), keys_only: true });
      if (all === undefined) throw new Error("no member answers");
      const kept = new Set(((all["kvs"] ?? []) as readonly { key: string }[]).map(({ key }) => Buffer.from(key, "base64").toString()));
      return { acknowledged: written.length, missing: written.filter((key) => !kept.has(key)) };
    },
    async stop() {
      stopped = true;
      await writing;
    },
  };
}

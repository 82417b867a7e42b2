import { setTimeout as delay } from "node:timers/promises";
import { anySignal } from "pintle/client";
import { type Ledger, ledger } from "../ledger.ts";
import { StoreError } from "../store.ts";
import type { EtcdClient } from "./client.ts";
import type { Exchange } from "./grpc.ts";
import { ForeignData, keptEntry, keptValue } from "./kept-value.ts";
import { endOf, type KeyValue, progressRequest, type WatchAnswer } from "./messages.ts";

/** What etcd holds under a prefix, followed by a watch. */
export interface Mirror {
  readonly ledger: Ledger;
  /** Resolves when the ledger has everything up to the revision. Throws StoreError when it takes too long. */
  caughtUp(revision: number): Promise<void>;
  /** Keys that hold what is not ours. */
  readonly foreign: ReadonlyMap<string, ForeignData>;
  stop(): void;
}

export interface MirrorOptions {
  readonly client: EtcdClient;
  /** Ends in a slash. */
  readonly prefix: string;
  readonly history?: number | undefined;
  /** From the key in etcd to the one of the store. */
  keyOf(key: string): string;
}

const PAGE = 500;
const PATIENCE = 5000;
const ASK_AGAIN = 100;
const LONGEST_PAUSE = 1000;

/** Loads everything and follows it from there on. Throws ForeignData when there is anything that is not ours. */
export async function mirror({ client, prefix, history, keyOf }: MirrorOptions): Promise<Mirror> {
  const end = endOf(prefix);
  const first = await load();
  const kept = ledger({
    history,
    revision: first.revision,
    entries: first.found.map(({ key, value, modRevision }) => keptEntry(keyOf(key), value, modRevision)),
  });
  const foreign = new Map<string, ForeignData>();
  let exchange: Exchange | undefined;
  const stopped = new AbortController();
  void keepFollowing();

  return {
    ledger: kept,
    foreign,
    async caughtUp(revision) {
      const deadline = anySignal([AbortSignal.timeout(PATIENCE), stopped.signal]);
      while (kept.revision() < revision) {
        if (deadline.aborted) {
          throw new StoreError(`etcd does not say what was changed up to revision ${revision}: the watch is at ${kept.revision()}`);
        }
        // Changes elsewhere in etcd are not told of: asked, it says how far it is.
        exchange?.send(progressRequest);
        const pause = new AbortController();
        const timer = setTimeout(() => pause.abort(), ASK_AGAIN);
        await kept.reads.reached(revision, pause.signal);
        clearTimeout(timer);
      }
    },
    stop() {
      stopped.abort();
      exchange?.end();
    },
  };

  /** Everything, as of one revision. */
  async function load() {
    const found: KeyValue[] = [];
    let revision: number | undefined;
    for (let from = prefix; ; ) {
      const page = await client.range({ key: from, end, limit: PAGE, revision });
      revision ??= page.header.revision;
      found.push(...page.found);
      const last = page.found.at(-1);
      if (!page.more || last === undefined) return { revision, found };
      from = `${last.key}\0`;
    }
  }

  async function keepFollowing(): Promise<void> {
    for (let pause = 50; !stopped.signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      const ending = await follow(() => {
        pause = 50;
      });
      if (ending === "compacted") await reload();
      else await delay(pause, undefined, { signal: stopped.signal, ref: false }).catch(() => {});
    }
  }

  /** Until the watch ends, for whatever reason. */
  async function follow(alive: () => void): Promise<"compacted" | "ended"> {
    const watched = new Promise<"compacted" | "ended">((resolve) => {
      exchange = client.watch(
        { key: prefix, end, fromRevision: kept.revision() + 1 },
        (answer) => {
          alive();
          if (answer.canceled) resolve(answer.compactRevision > 0 ? "compacted" : "ended");
          else take(answer);
        },
        () => resolve("ended"),
      );
    });
    try {
      return await watched;
    } catch {
      return "ended";
    } finally {
      exchange?.end();
    }
  }

  function take({ header, created, events }: WatchAnswer): void {
    // Own commits may have been taken down already.
    const floor = kept.revision();
    for (const { type, at } of events) if (at.modRevision > floor) record(type, at);
    // Said with events or at the beginning, it is how far etcd is, not how far it has told.
    if (events.length === 0 && !created) kept.advance(header.revision);
  }

  function record(type: "put" | "delete", { key: inEtcd, value, modRevision }: KeyValue): void {
    const key = keyOf(inEtcd);
    const found = type === "put" ? keptValue(key, value) : undefined;
    if (found instanceof ForeignData) {
      foreign.set(key, found);
      return;
    }
    foreign.delete(key);
    if (found === undefined) kept.delete(key, modRevision);
    else kept.put(key, found, modRevision);
  }

  /** Some changes can never be told: what differs from before is told as if it had just happened. */
  async function reload(): Promise<void> {
    const now = await load().catch(() => undefined);
    if (now === undefined || stopped.signal.aborted) return;
    const there = new Set(now.found.map(({ key }) => keyOf(key)));
    const floor = kept.revision();
    const changed = now.found.filter(({ modRevision }) => modRevision > floor);
    for (const at of changed.sort((a, b) => a.modRevision - b.modRevision)) record("put", at);
    const gone = kept.all().filter(({ key, revision }) => revision <= now.revision && !there.has(key));
    for (const { key } of gone) kept.delete(key, Math.max(now.revision, kept.revision()));
    for (const key of foreign.keys()) if (!there.has(key)) foreign.delete(key);
    kept.advance(now.revision);
    await kept.reads.compact(now.revision);
  }
}

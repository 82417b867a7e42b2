import { setTimeout as delay } from "node:timers/promises";
import { anySignal } from "pintle/internal/clock";
import { ignoreError, runInBackground } from "pintle/internal/errors";
import { createMvccStore, type MvccStore } from "../mvcc/mvcc-store.ts";
import { StoreError } from "../store.ts";
import type { EtcdClient } from "./client.ts";
import { decodeEtcdEntry, decodeEtcdValue, ForeignDataError } from "./etcd-value.ts";
import type { GrpcStream } from "./grpc.ts";
import { type EtcdKeyValue, getPrefixRangeEnd, WATCH_PROGRESS_REQUEST, type WatchResponse } from "./messages.ts";

/** In-memory copy of a prefix of etcd, kept up to date by a watch. */
export interface EtcdMirror {
  readonly mvcc: MvccStore;
  /** Resolves when the mirror has reached the revision. Throws `StoreError` on timeout. */
  waitForRevision(revision: number): Promise<void>;
  /** Keys whose values Pintle did not write. */
  readonly foreignKeys: ReadonlyMap<string, ForeignDataError>;
  stop(): void;
}

export interface EtcdMirrorOptions {
  readonly client: EtcdClient;
  /** Ends in a slash. */
  readonly prefix: string;
  readonly history?: number | undefined;
  /** Maps a key in etcd to a key of the store. */
  fromEtcdKey(key: string): string;
}

const PAGE_SIZE = 500;
const CATCH_UP_TIMEOUT_MS = 5000;
const PROGRESS_INTERVAL_MS = 100;
const MAX_RETRY_DELAY_MS = 1000;

/** Lists the prefix and watches it from there. Throws `ForeignDataError` if it holds data of another writer. */
export async function startEtcdMirror({ client, prefix, history, fromEtcdKey }: EtcdMirrorOptions): Promise<EtcdMirror> {
  const rangeEnd = getPrefixRangeEnd(prefix);
  const first = await listAll();
  const mvcc = createMvccStore({
    history,
    revision: first.revision,
    entries: first.found.map(({ key, value, modRevision }) => decodeEtcdEntry(fromEtcdKey(key), value, modRevision)),
  });
  const foreignKeys = new Map<string, ForeignDataError>();
  let watchStream: GrpcStream | undefined;
  const stopped = new AbortController();
  runInBackground(runWatchLoop());

  return {
    mvcc: mvcc,
    foreignKeys,
    async waitForRevision(revision) {
      const deadline = anySignal([AbortSignal.timeout(CATCH_UP_TIMEOUT_MS), stopped.signal]);
      while (mvcc.revision() < revision) {
        if (deadline.aborted) {
          throw new StoreError("PINTLE6524", `the watch of etcd did not reach revision ${revision} in time: it is at ${mvcc.revision()}`);
        }
        // Changes under other prefixes produce no events: a progress request makes etcd report its revision.
        watchStream?.send(WATCH_PROGRESS_REQUEST);
        const pause = new AbortController();
        const timer = setTimeout(() => pause.abort(), PROGRESS_INTERVAL_MS);
        await mvcc.readMethods.waitForRevision(revision, pause.signal);
        clearTimeout(timer);
      }
    },
    stop() {
      stopped.abort();
      watchStream?.end();
    },
  };

  /** Lists the prefix page by page at one revision. */
  async function listAll() {
    const found: EtcdKeyValue[] = [];
    let revision: number | undefined;
    for (let from = prefix; ; ) {
      const page = await client.range({ key: from, rangeEnd, limit: PAGE_SIZE, revision });
      revision ??= page.header.revision;
      found.push(...page.kvs);
      const last = page.kvs.at(-1);
      if (!page.more || last === undefined) return { revision, found };
      from = `${last.key}\0`;
    }
  }

  async function runWatchLoop(): Promise<void> {
    for (let pause = 50; !stopped.signal.aborted; pause = Math.min(pause * 2, MAX_RETRY_DELAY_MS)) {
      const ending = await watchOnce(() => {
        pause = 50;
      });
      // A list that fails is repeated: the next watch finds the same compaction.
      if (ending === "compacted") await relist().catch(ignoreError);
      else await delay(pause, undefined, { signal: stopped.signal, ref: false }).catch(() => {});
    }
  }

  /** Watches until the watch ends for any reason. */
  async function watchOnce(onResponse: () => void): Promise<"compacted" | "ended"> {
    const watched = new Promise<"compacted" | "ended">((resolve) => {
      watchStream = client.watch(
        { key: prefix, rangeEnd, startRevision: mvcc.revision() + 1 },
        (response) => {
          onResponse();
          if (response.canceled) resolve(response.compactRevision > 0 ? "compacted" : "ended");
          else applyWatchResponse(response);
        },
        () => resolve("ended"),
      );
    });
    try {
      return await watched;
    } catch {
      return "ended";
    } finally {
      watchStream?.end();
    }
  }

  function applyWatchResponse({ header, created, events }: WatchResponse): void {
    // Commits of this process may already be applied.
    const lastRevision = mvcc.revision();
    for (const { type, kv } of events) if (kv.modRevision > lastRevision) applyEvent(type, kv);
    // In a response with events, or in the first one, the revision is how far etcd is, not how far it has reported.
    if (events.length === 0 && !created) mvcc.advanceRevision(header.revision);
  }

  function applyEvent(type: "put" | "delete", { key: inEtcd, value, modRevision }: EtcdKeyValue): void {
    const key = fromEtcdKey(inEtcd);
    const found = type === "put" ? decodeEtcdValue(key, value) : undefined;
    if (found instanceof ForeignDataError) {
      foreignKeys.set(key, found);
      return;
    }
    foreignKeys.delete(key);
    if (found === undefined) mvcc.delete(key, modRevision);
    else mvcc.put(key, found, modRevision);
  }

  /** After a compaction some events are lost: applies the difference to the current state as if it had just happened. */
  async function relist(): Promise<void> {
    const now = await listAll().catch(() => undefined);
    if (now === undefined || stopped.signal.aborted) return;
    const liveKeys = new Set(now.found.map(({ key }) => fromEtcdKey(key)));
    const lastRevision = mvcc.revision();
    const changed = now.found.filter(({ modRevision }) => modRevision > lastRevision);
    for (const at of changed.sort((a, b) => a.modRevision - b.modRevision)) applyEvent("put", at);
    const deleted = mvcc.allEntries().filter(({ key, revision }) => revision <= now.revision && !liveKeys.has(key));
    for (const { key } of deleted) mvcc.delete(key, Math.max(now.revision, mvcc.revision()));
    for (const key of foreignKeys.keys()) if (!liveKeys.has(key)) foreignKeys.delete(key);
    mvcc.advanceRevision(now.revision);
    await mvcc.readMethods.compact(now.revision);
  }
}

import { once } from "node:events";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "pintle/kinds";
import { encodeDeleteRecord, encodePutRecord } from "./file/log-records.ts";
import { createMvccStore, type LoadedEntry } from "./mvcc/mvcc-store.ts";
import type { EtcdConnection } from "./open-store.ts";
import { DEFAULT_PREFIX, PREFIX_HEADER, REPLICATION_PROTOCOL } from "./replication/index.ts";
import { type ObjectStore, type StoreChange, StoreError, type TxnCommitted, type TxnConflict } from "./store.ts";
import { parseStoredJson } from "./value-json.ts";

/** How long to wait for the previous API server to release the objects. */
const TAKEOVER_TIMEOUT_MS = 10_000;
const RETRY_INTERVAL_MS = 50;
/** Bytes that may be in flight to the drop-in etcd before commits wait. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

/**
 * Opens the store of a drop-in etcd; resolves with undefined if the endpoint is a real etcd or another server. Throws `StoreError` when no
 * endpoint responds, or when another API server keeps using the objects.
 */
export async function openReplicatedStore(connection: EtcdConnection): Promise<ObjectStore | undefined> {
  const deadline = performance.now() + TAKEOVER_TIMEOUT_MS;
  for (;;) {
    const probe = await probeEndpoints(connection);
    if (probe.type === "other") return undefined;
    if (probe.type === "drop-in") return createReplicatedStore(probe.socket, probe.head);
    if (performance.now() > deadline) throw new StoreError("PINTLE6525", probe.message);
    await delay(RETRY_INTERVAL_MS);
  }
}

type EndpointProbe =
  | { readonly type: "drop-in"; readonly socket: Socket; readonly head: Buffer }
  /** A real etcd, or another server. */
  | { readonly type: "other" }
  /** The drop-in etcd serves another API server. */
  | { readonly type: "in-use"; readonly message: string };

async function probeEndpoints(connection: EtcdConnection): Promise<EndpointProbe> {
  const failures: unknown[] = [];
  for (const endpoint of connection.endpoints) {
    try {
      return await probeEndpoint(endpoint, connection);
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures[0] ?? new StoreError("PINTLE6527", "no etcd endpoint is given: set `endpoints`");
}

/** Determines whether an endpoint is the drop-in etcd, and requests its objects. Throws `StoreError` when the endpoint is unreachable. */
function probeEndpoint(endpoint: string, { prefix = DEFAULT_PREFIX, ca, cert, key }: EtcdConnection): Promise<EndpointProbe> {
  const url = new URL("/version", endpoint);
  const headers = { connection: "Upgrade", upgrade: REPLICATION_PROTOCOL, [PREFIX_HEADER]: prefix };
  return new Promise((resolve, reject) => {
    // Without an agent: the connection is either upgraded or closed.
    const request =
      url.protocol === "https:" ? requestHttps(url, { headers, agent: false, ca, cert, key }) : requestHttp(url, { headers, agent: false });
    request.once("upgrade", (_response, socket, head) => resolve({ type: "drop-in", socket, head }));
    request.once("response", (response) => {
      if (response.statusCode !== 409) {
        response.resume();
        resolve({ type: "other" });
      } else resolve(text(response).then((message) => ({ type: "in-use", message })));
    });
    request.once("error", (error) => reject(new StoreError("PINTLE6520", `etcd at ${endpoint} does not respond: ${error.message}`)));
    request.end();
  });
}

/**
 * Creates an in-memory store that is replicated to the drop-in etcd, which sends its objects at the start and receives every commit after
 * that. A commit is done when the operating system has it; the bytes then arrive even if this process ends. Throws `StoreError` when the
 * drop-in etcd ends before the initial state is complete.
 */
async function createReplicatedStore(socket: Socket, head: Buffer): Promise<ObjectStore> {
  const { entries, revision } = await receiveInitialState(socket, head);
  const mvcc = createMvccStore({ entries, revision });
  let isDisconnected = false;
  socket.setNoDelay(true);
  socket.on("error", () => {});
  socket.once("close", () => {
    isDisconnected = true;
  });
  // No further data is expected, but the end of the connection must be noticed.
  socket.resume();
  const checkConnected = (consequence: string) => {
    if (isDisconnected) throw new StoreError("PINTLE6526", `${consequence}the drop-in etcd has ended. Restart both`);
  };
  return {
    ...mvcc.readMethods,
    checkHealth: async () => checkConnected(""),
    async txn(key, expect, change) {
      checkConnected("the change was not stored: ");
      if (socket.writableLength > MAX_BUFFERED_BYTES) await Promise.race([once(socket, "drain"), once(socket, "close")]);
      return commit(key, expect, change);
    },
    async close() {
      if (isDisconnected) return;
      const closed = once(socket, "close");
      socket.end();
      await closed;
    },
  };

  function commit(key: string, expect: number, change: StoreChange): TxnCommitted | TxnConflict {
    const current = mvcc.getEntry(key);
    if ((current?.revision ?? 0) !== expect) return { ok: false, current };
    if (current === undefined && "delete" in change) return { ok: false, current };
    const next = mvcc.revision() + 1;
    socket.write(`${"put" in change ? encodePutRecord(key, change.put, next) : encodeDeleteRecord(key, next)}\n`);
    const committed = "put" in change ? mvcc.put(key, change.put, next, change.attachment) : mvcc.delete(key, next);
    return committed ?? { ok: false, current };
  }
}

/** A record of the drop-in etcd: the value of each key, then the revision that completes the state. */
type ReplicationRecord = readonly ["put", revision: number, key: string, value: JsonObject] | readonly ["revision", number];

interface InitialState {
  readonly entries: readonly LoadedEntry[];
  readonly revision: number;
}

/** Reads records up to the one that completes the state. */
function receiveInitialState(socket: Socket, head: Buffer): Promise<InitialState> {
  return new Promise((resolve, reject) => {
    const entries: LoadedEntry[] = [];
    let rest = "";
    const read = (chunk: Buffer | string) => {
      const lines = `${rest}${chunk.toString()}`.split("\n");
      rest = lines.pop() as string;
      for (const line of lines) {
        const record = parseStoredJson(line) as ReplicationRecord;
        if (record[0] === "revision") {
          socket.off("data", read).off("close", onEnd);
          return resolve({ entries, revision: record[1] });
        }
        const [, revision, key, value] = record;
        entries.push({ key, value, revision });
      }
    };
    const onEnd = () => reject(new StoreError("PINTLE6526", "the drop-in etcd ended before it had sent its objects: start it again"));
    if (head.length > 0) socket.unshift(head);
    socket.setEncoding("utf8");
    socket.once("close", onEnd);
    socket.on("data", read);
  });
}

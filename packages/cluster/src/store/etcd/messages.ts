import { concatFields, encodeBool, encodeBytes, encodeInteger, encodeMessage, type MessageFields } from "./protobuf-wire.ts";

/** Messages of etcd's v3 API (etcdserverpb/rpc.proto), as far as the store uses them. */

export interface EtcdKeyValue {
  readonly key: string;
  readonly value: Buffer;
  readonly modRevision: number;
}
export interface EtcdResponseHeader {
  readonly clusterId: bigint;
  readonly revision: number;
}

const encodeString = (field: number, value: string) => encodeBytes(field, Buffer.from(value));

export function decodeResponseHeader(response: MessageFields): EtcdResponseHeader {
  const found = response.message(1);
  return { clusterId: found.uint64(1), revision: found.int64(3) };
}

function decodeKeyValue(found: MessageFields): EtcdKeyValue {
  return { key: found.string(1), value: found.bytes(5), modRevision: found.int64(3) };
}

export interface EtcdRangeRequest {
  readonly key: string;
  /** Exclusive; absent: only `key`. */
  readonly rangeEnd?: string | undefined;
  readonly limit?: number | undefined;
  readonly revision?: number | undefined;
  readonly countOnly?: boolean | undefined;
}
export interface RangeResponse {
  readonly header: EtcdResponseHeader;
  readonly kvs: readonly EtcdKeyValue[];
  readonly more: boolean;
  readonly count: number;
}

export function encodeRangeRequest({ key, rangeEnd = "", limit = 0, revision = 0, countOnly = false }: EtcdRangeRequest): Buffer {
  return concatFields(
    encodeString(1, key),
    encodeString(2, rangeEnd),
    encodeInteger(3, limit),
    encodeInteger(4, revision),
    encodeBool(9, countOnly),
  );
}
export function decodeRangeResponse(response: MessageFields): RangeResponse {
  return {
    header: decodeResponseHeader(response),
    kvs: response.repeated(2).map(decodeKeyValue),
    more: response.bool(3),
    count: response.int64(4),
  };
}

export interface EtcdTxnRequest {
  readonly key: string;
  /** Expected mod revision; 0: the key must not exist. */
  readonly modRevision: number;
  readonly change: { readonly put: string; readonly lease?: bigint | undefined } | { readonly delete: true };
}
export interface TxnResponse {
  readonly header: EtcdResponseHeader;
  readonly succeeded: boolean;
  /** Current value of the key when the comparison failed. */
  readonly current: EtcdKeyValue | undefined;
}

const COMPARE_MOD_REVISION = 2;

/** Encodes a transaction: the change if the key has the expected mod revision, otherwise a read of the key. */
export function encodeTxnRequest({ key, modRevision, change }: EtcdTxnRequest): Buffer {
  // The revision is encoded even when it is zero, because it selects the comparison target.
  const expected = Buffer.concat([
    Buffer.from([6 << 3]),
    modRevision === 0 ? Buffer.from([0]) : (encodeInteger(6, modRevision) as Buffer).subarray(1),
  ]);
  const compare = concatFields(encodeInteger(2, COMPARE_MOD_REVISION), encodeString(3, key), expected);
  const done =
    "put" in change
      ? encodeMessage(2, concatFields(encodeString(1, key), encodeString(2, change.put), encodeInteger(3, change.lease ?? 0)))
      : encodeMessage(3, concatFields(encodeString(1, key)));
  return concatFields(encodeMessage(1, compare), encodeMessage(2, done), encodeMessage(3, encodeMessage(1, encodeRangeRequest({ key }))));
}
export function decodeTxnResponse(response: MessageFields): TxnResponse {
  const succeeded = response.bool(2);
  const [first] = succeeded ? [] : response.repeated(3);
  return { header: decodeResponseHeader(response), succeeded, current: first && decodeRangeResponse(first.message(1)).kvs[0] };
}

export function encodeCompactionRequest(revision: number): Buffer {
  return concatFields(encodeInteger(1, revision));
}

export function encodeLeaseGrantRequest(seconds: number): Buffer {
  return concatFields(encodeInteger(1, seconds));
}
export function decodeLeaseGrantResponse(response: MessageFields): bigint {
  return response.uint64(2);
}

export function decodeStatusResponse(response: MessageFields): string {
  return response.string(2);
}

export function encodeWatchCreateRequest(key: string, end: string, fromRevision: number): Buffer {
  return encodeMessage(1, concatFields(encodeString(1, key), encodeString(2, end), encodeInteger(3, fromRevision)));
}
export const WATCH_PROGRESS_REQUEST: Buffer = encodeMessage(3, Buffer.alloc(0));

export interface WatchResponse {
  readonly header: EtcdResponseHeader;
  readonly canceled: boolean;
  /** Revisions before this one are compacted; 0: the watch ended for another reason. */
  readonly compactRevision: number;
  readonly cancelReason: string;
  readonly created: boolean;
  readonly events: readonly { readonly type: "put" | "delete"; readonly kv: EtcdKeyValue }[];
}
export function decodeWatchResponse(response: MessageFields): WatchResponse {
  return {
    header: decodeResponseHeader(response),
    created: response.bool(3),
    canceled: response.bool(4),
    compactRevision: response.int64(5),
    cancelReason: response.string(6),
    events: response.repeated(11).map((event) => ({ type: event.int64(1) === 0 ? "put" : "delete", kv: decodeKeyValue(event.message(2)) })),
  };
}

/** Returns the exclusive end of the range of keys with `prefix`, which ends in a slash. */
export function getPrefixRangeEnd(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}

import { bytes, type Fields, flag, integer, message, nested } from "./wire.ts";

/** What we say to etcd and what it answers, as far as we need it: etcdserverpb/rpc.proto of its API. */

export interface KeyValue {
  readonly key: string;
  readonly value: Buffer;
  readonly modRevision: number;
}
export interface Header {
  readonly clusterId: bigint;
  readonly revision: number;
}

const text = (field: number, value: string) => bytes(field, Buffer.from(value));

export function header(answer: Fields): Header {
  const found = answer.nested(1);
  return { clusterId: found.exact(1), revision: found.integer(3) };
}

function keyValue(found: Fields): KeyValue {
  return { key: found.text(1), value: found.bytes(5), modRevision: found.integer(3) };
}

export interface RangeRequest {
  readonly key: string;
  /** Exclusive; absent: just the key. */
  readonly end?: string | undefined;
  readonly limit?: number | undefined;
  readonly revision?: number | undefined;
  readonly countOnly?: boolean | undefined;
}
export interface RangeAnswer {
  readonly header: Header;
  readonly found: readonly KeyValue[];
  readonly more: boolean;
  readonly count: number;
}

export function rangeRequest({ key, end = "", limit = 0, revision = 0, countOnly = false }: RangeRequest): Buffer {
  return message(text(1, key), text(2, end), integer(3, limit), integer(4, revision), flag(9, countOnly));
}
export function rangeAnswer(answer: Fields): RangeAnswer {
  return { header: header(answer), found: answer.repeated(2).map(keyValue), more: answer.flag(3), count: answer.integer(4) };
}

export interface TxnRequest {
  readonly key: string;
  /** Of the last change; 0: there must be no such key. */
  readonly modRevision: number;
  readonly change: { readonly put: string; readonly lease?: bigint | undefined } | { readonly delete: true };
}
export interface TxnAnswer {
  readonly header: Header;
  readonly succeeded: boolean;
  /** What the key holds, when it did not succeed. */
  readonly current: KeyValue | undefined;
}

const MOD_REVISION = 2;

/** The change, if the key is as expected; otherwise what it is. */
export function txnRequest({ key, modRevision, change }: TxnRequest): Buffer {
  // The revision is sent even when it is zero: it says what is compared.
  const expected = Buffer.concat([
    Buffer.from([6 << 3]),
    modRevision === 0 ? Buffer.from([0]) : (integer(6, modRevision) as Buffer).subarray(1),
  ]);
  const compare = message(integer(2, MOD_REVISION), text(3, key), expected);
  const done =
    "put" in change
      ? nested(2, message(text(1, key), text(2, change.put), integer(3, change.lease ?? 0)))
      : nested(3, message(text(1, key)));
  return message(nested(1, compare), nested(2, done), nested(3, nested(1, rangeRequest({ key }))));
}
export function txnAnswer(answer: Fields): TxnAnswer {
  const succeeded = answer.flag(2);
  const [first] = succeeded ? [] : answer.repeated(3);
  return { header: header(answer), succeeded, current: first && rangeAnswer(first.nested(1)).found[0] };
}

export function compactionRequest(revision: number): Buffer {
  return message(integer(1, revision));
}

export function leaseRequest(seconds: number): Buffer {
  return message(integer(1, seconds));
}
export function leaseAnswer(answer: Fields): bigint {
  return answer.exact(2);
}

export function versionAnswer(answer: Fields): string {
  return answer.text(2);
}

export function watchRequest(key: string, end: string, fromRevision: number): Buffer {
  return nested(1, message(text(1, key), text(2, end), integer(3, fromRevision)));
}
export const progressRequest: Buffer = nested(3, Buffer.alloc(0));

export interface WatchAnswer {
  readonly header: Header;
  readonly canceled: boolean;
  /** History before it is gone; 0: that is not why the watch ends. */
  readonly compactRevision: number;
  readonly reason: string;
  readonly created: boolean;
  readonly events: readonly { readonly type: "put" | "delete"; readonly at: KeyValue }[];
}
export function watchAnswer(answer: Fields): WatchAnswer {
  return {
    header: header(answer),
    created: answer.flag(3),
    canceled: answer.flag(4),
    compactRevision: answer.integer(5),
    reason: answer.text(6),
    events: answer.repeated(11).map((event) => ({ type: event.integer(1) === 0 ? "put" : "delete", at: keyValue(event.nested(2)) })),
  };
}

/** The first key behind all that begin with `prefix`, which ends in a slash. */
export function endOf(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}

import type { JsonObject } from "pintle/kinds";
import type { LoadedEntry } from "../mvcc/mvcc-store.ts";
import { StoreError } from "../store.ts";
import { parseStoredJson } from "../value-json.ts";

/** A value in etcd that Pintle did not write and cannot read; it is never modified. */
export class ForeignDataError extends StoreError {
  override readonly name = "ForeignDataError";
}

const PROTOBUF_PREFIX = Buffer.from("k8s\0");
const ENCRYPTED_PREFIX = Buffer.from("k8s:enc:");

/** Decodes the value of a key, or returns why it cannot be decoded. */
export function decodeEtcdValue(key: string, value: Buffer): JsonObject | ForeignDataError {
  if (value.subarray(0, PROTOBUF_PREFIX.length).equals(PROTOBUF_PREFIX))
    return foreignDataError(key, "protobuf, as a kube-apiserver stores it");
  if (value.subarray(0, ENCRYPTED_PREFIX.length).equals(ENCRYPTED_PREFIX))
    return foreignDataError(key, "data that a kube-apiserver encrypted");
  let object: unknown;
  try {
    object = parseStoredJson(value.toString());
  } catch {
    return foreignDataError(key, "a value that is not JSON");
  }
  const metadata = typeof object === "object" && object !== null && "metadata" in object ? object.metadata : undefined;
  if (typeof metadata !== "object" || metadata === null) return foreignDataError(key, "JSON that is not a Kubernetes object");
  return object as JsonObject;
}

/** Decodes an entry. Throws `ForeignDataError`. */
export function decodeEtcdEntry(key: string, value: Buffer, revision: number): LoadedEntry {
  const found = decodeEtcdValue(key, value);
  if (found instanceof ForeignDataError) throw found;
  return { key, value: found, revision };
}

function foreignDataError(key: string, what: string): ForeignDataError {
  return new ForeignDataError("PINTLE6522", `${key} in etcd holds ${what}: it was not written by Pintle and is left unchanged`);
}

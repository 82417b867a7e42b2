import { stringifyJson } from "pintle/internal/json";
import type { JsonObject } from "pintle/kinds";
import { encodeProtobuf } from "../../codec/index.ts";
import { ApiError } from "../../status/index.ts";
import { withMetadata } from "../metadata/object-meta.ts";
import type { ServedResource } from "../registry/served-resource.ts";

/** The default of etcd's --max-request-bytes. */
const MAX_REQUEST_BYTES = 1.5 * 1024 * 1024;
/** What kube-apiserver's client of etcd sends at most. */
const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;
/** A transaction has the key twice, and these bytes beside the value; in etcd's log some more. */
const TRANSACTION_BYTES = 25;
const LOG_ENTRY_BYTES = 15;
/** A character takes at most six bytes: escaped. */
const MAX_BYTES_PER_CHARACTER = 6;

/**
 * Returns the object to store: without managed fields where etcd would not take it with them. Throws 500 for an object that it would not take at all, as
 * kube-apiserver does with etcd behind it.
 */
export function fitRequestSize(resource: ServedResource, key: string, value: JsonObject): JsonObject {
  if (countCharacters(value) * MAX_BYTES_PER_CHARACTER < MAX_REQUEST_BYTES || findSizeError(resource, key, value) === undefined)
    return value;
  const smaller = withMetadata(value, { managedFields: undefined });
  const error = findSizeError(resource, key, smaller);
  if (error !== undefined) throw error;
  return smaller;
}

function findSizeError({ typed, storage }: ServedResource, key: string, value: JsonObject): ApiError | undefined {
  const isProtobuf = typed && storage.group !== "apiextensions.k8s.io";
  const bytes = isProtobuf ? encodeProtobuf(value).length : Buffer.byteLength(stringifyJson(value)) + 1;
  const message = bytes + 2 * Buffer.byteLength(key) + TRANSACTION_BYTES;
  if (message > MAX_MESSAGE_BYTES) {
    const why = `trying to send message larger than max (${message} vs. ${MAX_MESSAGE_BYTES})`;
    return new ApiError(500, "", `rpc error: code = ResourceExhausted desc = ${why}`);
  }
  return message + LOG_ENTRY_BYTES > MAX_REQUEST_BYTES ? new ApiError(500, "", "etcdserver: request is too large") : undefined;
}

/** Counts the characters of the value's JSON text, before they are escaped. */
function countCharacters(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 20;
  let count = 2;
  if (Array.isArray(value)) for (const item of value) count += 1 + countCharacters(item);
  else for (const field in value) count += field.length + 4 + countCharacters((value as JsonObject)[field]);
  return count;
}

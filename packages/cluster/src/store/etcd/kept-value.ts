import type { JsonObject } from "pintle/kinds";
import type { Loaded } from "../ledger.ts";
import { StoreError } from "../store.ts";
import { parseText } from "../value-text.ts";

/** Data in etcd that we did not write and cannot read: it is never changed. */
export class ForeignData extends StoreError {}

const PROTOBUF = Buffer.from("k8s\0");
const ENCRYPTED = Buffer.from("k8s:enc:");

/** What a key in etcd holds, or why that cannot be said. */
export function keptValue(key: string, value: Buffer): JsonObject | ForeignData {
  if (value.subarray(0, PROTOBUF.length).equals(PROTOBUF)) return foreign(key, "protobuf, as a kube-apiserver stores it");
  if (value.subarray(0, ENCRYPTED.length).equals(ENCRYPTED)) return foreign(key, "data that a kube-apiserver encrypted");
  let object: unknown;
  try {
    object = parseText(value.toString());
  } catch {
    return foreign(key, "no JSON");
  }
  const metadata = typeof object === "object" && object !== null && "metadata" in object ? object.metadata : undefined;
  if (typeof metadata !== "object" || metadata === null) return foreign(key, "JSON that is no object of Kubernetes");
  return object as JsonObject;
}

/** The same for whoever cannot do without it. Throws ForeignData. */
export function keptEntry(key: string, value: Buffer, revision: number): Loaded {
  const found = keptValue(key, value);
  if (found instanceof ForeignData) throw found;
  return { key, value: found, revision };
}

function foreign(key: string, what: string): ForeignData {
  return new ForeignData(`${key} in etcd holds ${what}: it was not written by Pintle, which leaves it alone`);
}

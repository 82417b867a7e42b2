import type { JsonObject } from "pintle/kinds";
import type { ObjectSummary } from "../protocol.ts";
import { pathOfKey } from "./object-path.ts";
import { parseTime, stateOf } from "./object-state.ts";

/** Summarizes a stored object for lists. */
export function summarize(key: string, revision: number, object: JsonObject): ObjectSummary {
  const metadata = (object["metadata"] ?? {}) as {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly uid?: string; readonly controller?: boolean }[];
  };
  const apiVersion = String(object["apiVersion"] ?? "");
  const owners = Array.isArray(metadata.ownerReferences) ? metadata.ownerReferences : [];
  return {
    path: pathOfKey(key, apiVersion === "" ? undefined : apiVersion),
    apiVersion,
    kind: String(object["kind"] ?? ""),
    namespace: metadata.namespace,
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    revision,
    created: parseTime(metadata.creationTimestamp),
    deleting: parseTime(metadata.deletionTimestamp),
    owners: [...owners].sort((a, b) => Number(b.controller === true) - Number(a.controller === true)).flatMap(({ uid }) => uid ?? []),
    ...stateOf(object),
  };
}

const ORDER = { failed: 0, progressing: 1, unknown: 2, ok: 3 } as const;
/** Orders objects by trouble, then by path. */
export const compareTrouble = (a: ObjectSummary, b: ObjectSummary) =>
  ORDER[a.state] - ORDER[b.state] || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

import { parseJson } from "pintle/internal/json";
import type { JsonObject } from "pintle/kinds";
import { createServiceRoutes } from "../admission/index.ts";
import { createStoreSnapshot } from "../store/index.ts";
import type { ClusterKeys } from "../testing/index.ts";
import type { ClusterSnapshot } from "./cluster-options.ts";
import { restoreCredentials } from "./credentials.ts";

const FORMAT = "pintle-snapshot/1";

interface SnapshotFile {
  readonly format: typeof FORMAT;
  readonly at: number;
  readonly revision: number;
  readonly keys: ClusterKeys;
  readonly entries: readonly (readonly [key: string, revision: number, value: JsonObject])[];
}

/**
 * Encodes all objects of a cluster, and the keys that its kubeconfigs and tokens depend on. Objects are copied as they are stored, so every
 * number keeps its digits.
 */
export function encodeSnapshot({ at, objects, credentials }: ClusterSnapshot): string {
  const { certificate, key } = credentials.authority;
  const header = { format: FORMAT, at, revision: objects.revision, keys: { certificate, key, signingKey: credentials.signingKey } };
  const entries = objects.keys.map((each) => {
    const entry = objects.entries.get(each);
    return entry === undefined ? [] : [`[${JSON.stringify(each)},${entry.revision},${entry.json()}]`];
  });
  return `${JSON.stringify(header).slice(0, -1)},"entries":[${entries.flat().join(",\n")}]}\n`;
}

/** Decodes a snapshot for `startCluster({ from })`; integers beyond 2^53 keep all digits. Returns undefined if it is not a snapshot. */
export function decodeSnapshot(bytes: Uint8Array): ClusterSnapshot | undefined {
  let contents: SnapshotFile;
  try {
    contents = parseJson(bytes) as SnapshotFile;
  } catch {
    return undefined;
  }
  if (contents?.format !== FORMAT) return undefined;
  const { at, revision, entries, keys } = contents;
  const objects = createStoreSnapshot({ revision, entries: entries.map(([key, changed, value]) => ({ key, revision: changed, value })) });
  return { at, objects, credentials: restoreCredentials(keys), routes: createServiceRoutes() };
}

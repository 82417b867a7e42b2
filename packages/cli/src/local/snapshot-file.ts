import type { ClusterKeys, ClusterSnapshot } from "@pintle/cluster";
import type { JsonObject } from "pintle/kinds";
import { CommandError } from "../command.ts";

const FORMAT = "pintle-snapshot/1";

interface Kept {
  readonly format: typeof FORMAT;
  readonly at: number;
  readonly revision: number;
  readonly keys: ClusterKeys;
  readonly entries: readonly (readonly [key: string, revision: number, value: JsonObject])[];
}

/** Everything a cluster holds, with the keys that its kubeconfigs and tokens go by. */
export function snapshotText({ at, objects, credentials }: ClusterSnapshot): string {
  const { certificate, key } = credentials.authority;
  const kept: Kept = {
    format: FORMAT,
    at,
    revision: objects.revision,
    keys: { certificate, key, signingKey: credentials.signingKey },
    entries: [...objects.entries.values()].map((entry) => [entry.key, entry.revision, entry.value]),
  };
  return `${JSON.stringify(kept)}\n`;
}

/** What `startCluster` goes on from. */
export function readSnapshot(text: string, file: string): { readonly from: ClusterSnapshot; readonly authority: ClusterKeys } {
  let kept: Kept;
  try {
    kept = JSON.parse(text) as Kept;
  } catch {
    throw new CommandError(`pintle cluster up: ${file} is no snapshot: make one with pintle cluster snapshot ${file}`);
  }
  if (kept?.format !== FORMAT) throw new CommandError(`pintle cluster up: ${file} is no snapshot that this version can read`);
  const entries = new Map(kept.entries.map(([key, revision, value]) => [key, { key, revision, value: frozen(value) }]));
  const objects = { revision: kept.revision, entries, keys: [...entries.keys()], history: [], oldest: kept.revision };
  // Its authority is made again from the keys.
  return { from: { at: kept.at, objects } as unknown as ClusterSnapshot, authority: kept.keys };
}

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

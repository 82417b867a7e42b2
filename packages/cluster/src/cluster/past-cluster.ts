import type { Client } from "pintle/client";
import { PintleError } from "pintle/internal/errors";
import { diffObjects, type FieldChange } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import type { StoreEntry, StoreSnapshot } from "../store/index.ts";
import type { Cluster } from "./cluster.ts";
import type { ClusterOptions, ClusterSnapshot } from "./cluster-options.ts";

/** A cluster as it was at one revision. Immutable; shares all values with the cluster, so it is cheap. */
export interface PastCluster extends AsyncDisposable {
  /** The revision, as in `metadata.resourceVersion`. */
  readonly revision: number;
  /** Time of the last commit up to this revision, in milliseconds since 1970 by the cluster's clock; undefined if it is not known any more. */
  readonly time: number | undefined;
  /**
   * Resolves with a client that reads the objects of this revision: get, list and watch from here on see what an API server would have served
   * then, with the CRDs of that time. It is a client of a fork, so a write changes only that fork. Dispose of the `PastCluster` to stop it.
   */
  client(): Promise<Client>;
  /** Returns the objects that differ between this revision and a later or earlier one, by key. Default: the current revision. */
  diff(revision?: number): readonly ObjectChangeSummary[];
  /** Returns the state, for `startCluster({ from })`. */
  snapshot(): ClusterSnapshot;
  /** Starts an independent cluster from this state; otherwise like `Cluster.fork`. A virtual clock starts at the time of the revision. */
  fork(options?: Omit<ClusterOptions, "from" | "store">): Promise<Cluster>;
}

/** How one object differs between two revisions. */
export interface ObjectChangeSummary {
  /** The apiVersion in which the object is stored. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** "replaced": deleted, and created again under the same name. */
  readonly type: "created" | "changed" | "replaced" | "deleted";
  /** The fields that differ, without `managedFields` and `resourceVersion`; empty for objects that were created or deleted. */
  readonly fields: readonly FieldChange[];
}

/** What a past cluster needs of the cluster. */
export interface PastClusterSource {
  snapshotAt(revision: number): ClusterSnapshot;
  timeOf(revision: number): number | undefined;
  currentRevision(): number;
  fork(from: ClusterSnapshot, options: Omit<ClusterOptions, "from" | "store">): Promise<Cluster>;
}

/** Throws `CompactedError` if the revision is older than the store's history, and `PintleError` if it is none. */
export function createPastCluster(source: PastClusterSource, revision: number): PastCluster {
  if (!Number.isSafeInteger(revision) || revision < 1 || revision > source.currentRevision()) {
    const range = `from 1 to the current one, ${source.currentRevision()}`;
    throw new PintleError("PINTLE6506", `cluster.at(${revision}): must be a revision ${range}, such as an object's resourceVersion`);
  }
  const snapshot = source.snapshotAt(revision);
  let reader: Promise<Cluster> | undefined;
  return {
    revision,
    time: source.timeOf(revision),
    async client() {
      reader ??= source.fork(snapshot, {});
      return (await reader).client();
    },
    diff: (other = source.currentRevision()) => diffSnapshots(snapshot.objects, source.snapshotAt(other).objects),
    snapshot: () => snapshot,
    fork: (options = {}) => source.fork(snapshot, options),
    async [Symbol.asyncDispose]() {
      await (await reader)?.stop();
      reader = undefined;
    },
  };
}

function diffSnapshots(old: StoreSnapshot, now: StoreSnapshot): readonly ObjectChangeSummary[] {
  const keys = new Set([...now.keys, ...old.keys]);
  return [...keys].sort().flatMap((key) => {
    const [before, after] = [old.entries.get(key), now.entries.get(key)];
    return before?.revision === after?.revision ? [] : [summarizeChange(before, after)];
  });
}

function summarizeChange(before: StoreEntry | undefined, after: StoreEntry | undefined): ObjectChangeSummary {
  const object = (after ?? before)?.value as JsonObject;
  const {
    namespace = "",
    name = "",
    uid = "",
  } = object.metadata as { readonly namespace?: string; readonly name?: string; readonly uid?: string };
  const identity = { apiVersion: String(object.apiVersion ?? ""), kind: String(object.kind ?? ""), namespace, name, uid };
  if (before === undefined) return { ...identity, type: "created", fields: [] };
  if (after === undefined) return { ...identity, type: "deleted", fields: [] };
  const wasReplaced = uid !== (before.value.metadata as { readonly uid?: string }).uid;
  return { ...identity, type: wasReplaced ? "replaced" : "changed", fields: diffObjects(before.value, after.value) };
}

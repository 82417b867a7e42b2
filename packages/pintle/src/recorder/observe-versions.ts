import type { FlightRecorder } from "./flight-recorder.ts";

interface FieldManagerEntry {
  readonly manager?: string | undefined;
  readonly operation?: string | undefined;
  readonly subresource?: string | undefined;
  readonly time?: string | undefined;
}

/** An object of a watch. */
interface WatchedObject {
  readonly metadata: {
    readonly namespace?: string | undefined;
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number | undefined;
    readonly ownerReferences?: readonly { readonly uid: string }[] | undefined;
    readonly managedFields?: readonly FieldManagerEntry[] | undefined;
  };
  readonly status?: { readonly observedGeneration?: number | undefined } | undefined;
}

/** A kind, as far as its versions are recorded. */
interface WatchedKind {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

/** The last version of an object that was seen. */
interface LastVersion {
  readonly version: string;
  readonly generation: number | undefined;
  readonly writers: readonly FieldManagerEntry[];
  isRecorded: boolean;
}

/** Records the versions that watches see. */
export interface VersionObserver {
  /** An object was decoded, and reduced to what the cache stores. */
  onDecoded(object: object, stored: object): void;
  /** A watch event arrived. `stored`: its object, reduced. */
  onEvent(kind: WatchedKind, type: string, stored: object): void;
}

/** Objects whose last writers are remembered; caches of more do without until they see the next version. */
const MAX_OBJECTS = 200_000;

/** Returns the start of the keys of a kind in the store of an API server: "deployments", "example.com/notes". */
export const toStorageResource = ({ group, plural }: Omit<WatchedKind, "kind">): string =>
  /\./.test(group) && !group.endsWith(".k8s.io") ? `${group}/${plural}` : plural;

/** Creates an observer that records a `commit` fact for each version, once, with what its metadata says about its writer. */
export function createVersionObserver(recorder: FlightRecorder): VersionObserver {
  const writersOf = new WeakMap<object, readonly FieldManagerEntry[]>();
  const last = new Map<string, LastVersion>();
  const remember = (uid: string, version: LastVersion) => {
    if (last.size >= MAX_OBJECTS) last.clear();
    last.set(uid, version);
  };
  return {
    onDecoded(object, stored) {
      const { uid, resourceVersion, generation, managedFields = [] } = (object as WatchedObject).metadata;
      const writers = managedFields.map(({ manager, operation, subresource, time }) => ({ manager, operation, subresource, time }));
      writersOf.set(stored, writers);
      // An object of a list, or of a response.
      if (!last.has(uid)) remember(uid, { version: resourceVersion, generation, writers, isRecorded: false });
    },
    onEvent(kind, type, stored) {
      const { metadata, status } = stored as WatchedObject;
      const { namespace, name, uid, resourceVersion, generation, ownerReferences = [] } = metadata;
      const before = last.get(uid);
      // Watches of several namespaces or selectors can see the same version.
      if (before?.version === resourceVersion && before.isRecorded) return;
      const writers = writersOf.get(stored) ?? [];
      if (type === "DELETED") last.delete(uid);
      else remember(uid, { version: resourceVersion, generation, writers, isRecorded: true });
      const isFirst = before === undefined || before.version === resourceVersion;
      const changed = type === "DELETED" ? [] : isFirst ? writers : findWriters(before, generation, writers);
      recorder.record({
        type: "commit",
        operation: type === "DELETED" ? "delete" : "put",
        key: `/registry/${[toStorageResource(kind), namespace, name].filter((part) => part !== undefined).join("/")}`,
        revision: Number(resourceVersion),
        uid,
        kind: kind.kind,
        observed: {
          managers: [...new Set(changed.flatMap(({ manager }) => manager ?? []))],
          subresource: changed.length > 0 && changed.every(({ subresource }) => subresource === "status") ? "status" : undefined,
          generation,
          observedGeneration: status?.observedGeneration,
          owners: ownerReferences.length === 0 ? undefined : ownerReferences.map((owner) => owner.uid),
        },
      });
    },
  };
}

/**
 * Returns the entries that are new since the version before. Times are in seconds, so an entry can be the same after another write of its manager: then the
 * last entries of the subresource that has changed.
 */
function findWriters(
  before: LastVersion,
  generation: number | undefined,
  writers: readonly FieldManagerEntry[],
): readonly FieldManagerEntry[] {
  const added = writers.filter((entry) => !before.writers.some((known) => isSameEntry(known, entry)));
  if (added.length > 0) return added;
  const isSpec = generation !== before.generation;
  const possible = writers.filter(({ subresource }) => (subresource === undefined) === isSpec);
  const latest = possible
    .map(({ time = "" }) => time)
    .sort()
    .at(-1);
  return possible.filter(({ time = "" }) => time === latest);
}

const isSameEntry = (a: FieldManagerEntry, b: FieldManagerEntry) =>
  a.manager === b.manager && a.operation === b.operation && a.subresource === b.subresource && a.time === b.time;

import { type Client, NotFound } from "pintle/client";
import type { Cache, CachedView } from "pintle/internal/cache";
import { quoteGoString } from "pintle/internal/go-format";
import type { AnyKind } from "pintle/kinds";
import { failure } from "../api/failures.ts";
import { OWNER_NAME_LABEL } from "../api/names.ts";
import type { DesiredObject, LiveObject } from "./objects.ts";

/** Watches the kinds that revisions consist of. Only objects of revisions are kept. */
export interface ObjectWatches {
  /** Resolves to the kind of an object and a synced view of the objects of that kind. Rejects if the kind is not served. */
  readonly watch: (user: string, desired: DesiredObject, signal: AbortSignal) => Promise<WatchedKind>;
  /** Finds the kind of an object without watching it; undefined if it is not served. */
  readonly findKind: (desired: DesiredObject) => Promise<AnyKind | undefined>;
  /** Stops watching the kinds that only this user needs. */
  readonly free: (user: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A kind, and its objects that belong to revisions. */
export interface WatchedKind {
  readonly kind: AnyKind;
  readonly objects: CachedView<LiveObject>;
}

interface Watched extends WatchedKind {
  readonly users: Set<string>;
}

/** Creates watches that report the names of the revisions that own a changed object. */
export function createObjectWatches(client: Client, cache: Cache, onChange: (objectSet: string) => void): ObjectWatches {
  const watched = new Map<string, Watched>();
  const findKind = async ({ apiVersion, kind }: DesiredObject): Promise<AnyKind | undefined> => {
    const known = watched.get(`${apiVersion}/${kind}`);
    if (known !== undefined) return known.kind;
    try {
      return (await client.discoverKind(apiVersion, kind)) as AnyKind;
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  };
  const open = (kind: AnyKind): Watched => {
    const objects = cache.watch(kind, { labels: OWNER_NAME_LABEL }) as unknown as CachedView<LiveObject>;
    objects.addEventHandler(({ old, new: current }) => {
      const references = [...(old?.metadata.ownerReferences ?? []), ...(current?.metadata.ownerReferences ?? [])];
      const owners = references.filter((reference) => reference.kind === "ClusterObjectSet").map(({ name }) => name);
      for (const owner of new Set(owners)) onChange(owner);
    });
    return { kind, objects, users: new Set() };
  };
  return {
    async watch(user, desired, signal) {
      const id = `${desired.apiVersion}/${desired.kind}`;
      if (!watched.has(id)) {
        const kind = await findKind(desired);
        if (kind === undefined) {
          const { apiVersion, kind: name } = desired;
          throw failure(`establish watch: no matches for kind ${quoteGoString(name)} in version ${quoteGoString(apiVersion)}`);
        }
        if (!watched.has(id)) watched.set(id, open(kind));
      }
      const entry = watched.get(id)!;
      entry.users.add(user);
      await entry.objects.waitForSync(signal);
      return entry;
    },
    findKind,
    async free(user) {
      for (const [id, { users, objects }] of watched) {
        if (!users.delete(user) || users.size > 0) continue;
        watched.delete(id);
        await objects.close();
      }
    },
    async close() {
      await Promise.all([...watched.values()].map(({ objects }) => objects.close()));
      watched.clear();
    },
  };
}

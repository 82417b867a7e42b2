import type { Client, LiveObject } from "../client/index.ts";
import { type Clock, type Random, systemClock } from "../clock/index.ts";
import { PintleError } from "../errors/index.ts";
import type { KindInfo } from "../kinds/index.ts";
import { createLabelMatcher, type LabelSelectorInput } from "../selectors/index.ts";
import { type CachedView, createCachedView, type Lister } from "./cached-view.ts";
import { type CacheObserver, createInformer, type Informer, type WatchHealth } from "./informer.ts";
import type { StoredObject } from "./store.ts";
import { NotWatched } from "./watch-problem.ts";

/** Options of `createCache()`. */
export interface CacheOptions {
  readonly client: Client;
  /** The namespaces in which namespaced kinds are watched. Default: all namespaces. */
  readonly namespaces?: readonly string[] | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Source of jitter. Default: `Math.random`. */
  readonly random?: Random | undefined;
  /** Default: none. */
  readonly observer?: CacheObserver | undefined;
}

/** Narrows a watch. Two watches with the same scope share one informer. */
export interface WatchScope<T> {
  /** Default: the namespaces of the cache. */
  readonly namespaces?: readonly string[] | undefined;
  /** Label selector, sent to the API server. Default: all objects. */
  readonly labels?: LabelSelectorInput | undefined;
  /**
   * Field selector, sent to the API server: "spec.nodeName=a". Default: all objects. Fields cannot be matched locally, so with a field
   * selector an own write becomes visible with its watch event, not with its response.
   */
  readonly fields?: string | undefined;
  /** Reduces an object before it is stored. Must retain apiVersion, kind and the identity in metadata. Default: drops managedFields. */
  readonly transform?: ((object: T) => T) | undefined;
}

/** Identity and version of a stored object. */
export interface ObjectVersion {
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * Informers of a process, shared by all controllers.
 *
 * ## Guarantees
 *
 * - One list and watch per kind and scope, however many views are open. The informer stops when its last view is closed.
 * - Reads are local, frozen and never half a list: they throw `NotSynced` before the first list is complete.
 * - An object never goes back to an older resourceVersion.
 * - Read-your-writes: a write through `createWriteThroughClient` is visible from its response on, before its watch event arrives.
 *
 * ## Caveats
 *
 * - Writes of other processes become visible with their watch event: a read can be behind the API server.
 * - `deletecollection`, `scale`, `evict`, `bind` and other subresources are not written through.
 *
 * More in docs/guides/cache.md.
 */
export interface Cache {
  /** Opens a view of a kind. Starts an informer, or joins the one that already has this scope. */
  watch<K extends KindInfo>(kind: K, scope?: WatchScope<LiveObject<K>>): CachedView<LiveObject<K>>;
  /** Returns read access to a kind that is watched without a scope. Throws `NotWatched` for any other kind. */
  getLister<K extends KindInfo>(kind: K): Lister<LiveObject<K>>;
  /** Stores the response to an own write. Returns whether it changed the store. `origin` is passed on in the `ObjectChange`. */
  recordWrite(kind: KindInfo, object: unknown, origin?: unknown): boolean;
  /** Returns uid and version of the stored object with this name. */
  getVersion(kind: KindInfo, ref: { readonly name: string; readonly namespace?: string | undefined }): ObjectVersion | undefined;
  /** Removes an object after an own delete was acknowledged and the object no longer exists. */
  recordDelete(
    kind: KindInfo,
    ref: { readonly name: string; readonly namespace?: string | undefined },
    uid: string,
    origin?: unknown,
  ): void;
  /** Returns the health of every watch. */
  health(): readonly WatchHealth[];
  /** Stops all informers. The cache cannot be used afterwards. */
  stop(): Promise<void>;
}

interface SharedInformer {
  readonly informer: Informer<any>;
  refCount: number;
}

/** Creates a cache. Nothing is listed before the first `watch()`. */
export function createCache(options: CacheOptions): Cache {
  const { client, clock = systemClock, random = Math.random, observer = {} } = options;
  const informers = new Map<string, SharedInformer>();
  let stopped = false;

  const keyOf = (kind: KindInfo, { namespaces, labels, fields, transform }: WatchScope<any>) => {
    const namespaceKey = kind.scope === "Cluster" ? "" : [...(namespaces ?? options.namespaces ?? ["*"])].sort().join(",") || "*";
    const scopeKey = [
      labels === undefined ? "" : createLabelMatcher(labels).selectorText,
      fields ?? "",
      transform === undefined ? "" : `transform ${transformId(transform)}`,
    ];
    return (metadataOnly: boolean) => [kind.id, metadataOnly ? "meta" : "full", namespaceKey, ...scopeKey].join("|");
  };
  /** A metadata-only view can use an informer of whole objects, not the other way round. */
  const findInformer = (kind: KindInfo, scope: WatchScope<any>) => {
    const key = keyOf(kind, scope);
    return informers.get(key(false)) ?? (kind.metadataOnly === true ? informers.get(key(true)) : undefined);
  };
  const startInformer = (kind: KindInfo, scope: WatchScope<any>): SharedInformer => {
    const namespaces = kind.scope === "Cluster" ? undefined : (scope.namespaces ?? options.namespaces);
    const started: SharedInformer = {
      refCount: 0,
      informer: createInformer<StoredObject>({
        client,
        kind,
        clock,
        random,
        observer,
        namespaces,
        labels: scope.labels === undefined ? undefined : createLabelMatcher(scope.labels),
        fields: scope.fields,
        transform: createTransform(scope.transform, observer),
      }),
    };
    informers.set(keyOf(kind, scope)(kind.metadataOnly === true), started);
    return started;
  };
  const informersOf = (kind: KindInfo) => [...informers.values()].filter((each) => each.informer.kind.id === kind.id);

  return {
    watch(kind, scope = {}) {
      if (stopped) throw new PintleError("PINTLE3101", `${kind.kind}: the cache has been stopped`);
      const joined = findInformer(kind, scope) ?? startInformer(kind, scope);
      joined.refCount++;
      let isOpen = true;
      return createCachedView<any>(joined.informer, async () => {
        if (!isOpen) return;
        isOpen = false;
        if (--joined.refCount > 0) return;
        for (const [key, each] of informers) if (each === joined) informers.delete(key);
        await joined.informer.stop();
      });
    },
    getLister(kind) {
      const known = findInformer(kind, {});
      if (known === undefined) throw new NotWatched(kind);
      return createCachedView<any>(known.informer, async () => {});
    },
    recordWrite(kind, object, origin) {
      // Every informer stores the object: `some` runs after all of them.
      return informersOf(kind)
        .filter(({ informer }) => kind.metadataOnly !== true || informer.kind.metadataOnly === true)
        .map(({ informer }) => informer.recordWrite(toStoredForm(informer, object as StoredObject), origin))
        .some(Boolean);
    },
    getVersion(kind, { name, namespace }) {
      for (const { informer } of informersOf(kind)) {
        const known = informer.store.get(namespace, name);
        if (known !== undefined) return known.metadata;
      }
      return undefined;
    },
    recordDelete(kind, { name, namespace }, uid, origin) {
      for (const { informer } of informersOf(kind)) informer.recordDelete(uid, namespace, name, origin);
    },
    health: () => [...informers.values()].flatMap(({ informer }) => informer.health()),
    async stop() {
      stopped = true;
      await Promise.all([...informers.values()].map(({ informer }) => informer.stop()));
      informers.clear();
    },
  };
}

/** Reduces an object from a response to what the informer stores of objects from its watch. */
function toStoredForm(informer: Informer<any>, object: StoredObject): StoredObject {
  const { apiVersion, kind, metadata } = object;
  return informer.transform(informer.kind.metadataOnly === true ? { apiVersion, kind, metadata } : object);
}

const transformIds = new WeakMap<object, number>();
let nextTransformId = 0;
/** Numbers transform functions: two scopes share an informer only when they use the same function. */
function transformId(transform: object): number {
  const id = transformIds.get(transform) ?? ++nextTransformId;
  transformIds.set(transform, id);
  return id;
}

/** Returns the function that reduces an object before it is stored. */
function createTransform(
  transform: ((object: any) => any) | undefined,
  { onDecoded }: CacheObserver,
): (object: StoredObject) => StoredObject {
  const reduce =
    transform === undefined ? withoutManagedFields : (object: StoredObject) => transform(withoutManagedFields(object)) as StoredObject;
  if (onDecoded === undefined) return reduce;
  return (object) => {
    const stored = reduce(object);
    onDecoded(object, stored);
    return stored;
  };
}

/** Drops managedFields, a third to a half of an object, which no reader of the cache needs. A frozen object is shared, so a copy would cost memory. */
function withoutManagedFields<T extends StoredObject>(object: T): T {
  if (object.metadata.managedFields === undefined || Object.isFrozen(object)) return object;
  // Rebuilt instead of `delete`: deleting a property switches V8 to slow dictionary properties.
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

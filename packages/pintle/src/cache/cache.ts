import type { Client, Read } from "../client/index.ts";
import type { KindFacts } from "../kinds/index.ts";
import { type Clock, type Random, systemClock } from "../queue/index.ts";
import { type CacheObserver, type Informer, informer, type WatchHealth } from "./informer.ts";
import { NotWatched } from "./problem.ts";
import { type Labels, matcher } from "./selector.ts";
import type { Stored } from "./store.ts";
import { stripped } from "./stripped.ts";
import { type Reader, type View, view } from "./view.ts";

export interface CacheOptions {
  readonly client: Client;
  /** Namespaced kinds are followed in these only. Default: in all. */
  readonly namespaces?: readonly string[] | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly observer?: CacheObserver | undefined;
}

export interface WatchScope<T> {
  /** Default: the cache's. */
  readonly namespaces?: readonly string[] | undefined;
  /** Only objects with these labels are fetched and kept. */
  readonly labels?: Labels | undefined;
  /** Only objects with these fields are fetched and kept: "spec.nodeName=a". Own writes are then seen when the stream shows them. */
  readonly fields?: string | undefined;
  /** What is kept of an object. Must keep apiVersion, kind and metadata's identity. Default: everything but managedFields. */
  readonly transform?: ((object: T) => T) | undefined;
}

export interface Known {
  readonly uid: string;
  readonly resourceVersion: string;
}

export interface Cache {
  /** Starts following a kind, or joins those who already do. */
  watch<K extends KindFacts>(kind: K, scope?: WatchScope<Read<K>>): View<Read<K>>;
  /** A kind that is followed without further scope; throws NotWatched for any other. */
  read<K extends KindFacts>(kind: K): Reader<Read<K>>;
  /** The answer to a write of ours: readers see it from now on. True when it was news. `origin` comes back in the change. */
  wrote(kind: KindFacts, object: unknown, origin?: unknown): boolean;
  /** The object and version under which a name is known here. */
  known(kind: KindFacts, ref: { readonly name: string; readonly namespace?: string | undefined }): Known | undefined;
  /** A deletion of ours was answered, and the object is gone. */
  erased(kind: KindFacts, ref: { readonly name: string; readonly namespace?: string | undefined }, uid: string, origin?: unknown): void;
  /** How every stream is doing. */
  health(): readonly WatchHealth[];
  stop(): Promise<void>;
}

interface Shared {
  readonly informer: Informer<any>;
  handles: number;
}

/** One shared store per kind and scope, kept up to date by list and watch, own writes included. */
export function cache(options: CacheOptions): Cache {
  const { client, clock = systemClock, random = Math.random, observer = {} } = options;
  const shared = new Map<string, Shared>();
  let stopped = false;

  const keyOf = (kind: KindFacts, { namespaces, labels, fields, transform }: WatchScope<any>) => {
    const part = kind.scope === "Cluster" ? "" : [...(namespaces ?? options.namespaces ?? ["*"])].sort().join(",") || "*";
    const narrow = [
      labels === undefined ? "" : matcher(labels).text,
      fields ?? "",
      transform === undefined ? "" : `transform ${idOf(transform)}`,
    ];
    return (metadataOnly: boolean) => [kind.id, metadataOnly ? "meta" : "full", part, ...narrow].join("|");
  };
  /** A metadata view is content with a store of whole objects; the other way round it is not. */
  const find = (kind: KindFacts, scope: WatchScope<any>) => {
    const key = keyOf(kind, scope);
    return shared.get(key(false)) ?? (kind.metadataOnly === true ? shared.get(key(true)) : undefined);
  };
  const start = (kind: KindFacts, scope: WatchScope<any>): Shared => {
    const namespaces = kind.scope === "Cluster" ? undefined : (scope.namespaces ?? options.namespaces);
    const made: Shared = {
      handles: 0,
      informer: informer<Stored>({
        client,
        kind,
        clock,
        random,
        observer,
        namespaces,
        labels: scope.labels === undefined ? undefined : matcher(scope.labels),
        fields: scope.fields,
        transform: scope.transform === undefined ? stripped : (object) => scope.transform!(stripped(object)),
      }),
    };
    shared.set(keyOf(kind, scope)(kind.metadataOnly === true), made);
    return made;
  };
  const of = (kind: KindFacts) => [...shared.values()].filter((each) => each.informer.kind.id === kind.id);

  return {
    watch(kind, scope = {}) {
      if (stopped) throw new Error(`${kind.kind}: the cache has been stopped`);
      const joined = find(kind, scope) ?? start(kind, scope);
      joined.handles++;
      let open = true;
      return view<any>(joined.informer, async () => {
        if (!open) return;
        open = false;
        if (--joined.handles > 0) return;
        for (const [key, each] of shared) if (each === joined) shared.delete(key);
        await joined.informer.stop();
      });
    },
    read(kind) {
      const known = find(kind, {});
      if (known === undefined) throw new NotWatched(kind);
      return view<any>(known.informer, async () => {});
    },
    wrote(kind, object, origin) {
      // Every store is told, also after one of them has said that it is news.
      return of(kind)
        .filter(({ informer }) => kind.metadataOnly !== true || informer.kind.metadataOnly === true)
        .map(({ informer }) => informer.wrote(kept(informer, object as Stored), origin))
        .some(Boolean);
    },
    known(kind, { name, namespace }) {
      for (const { informer } of of(kind)) {
        const known = informer.store.get(namespace, name);
        if (known !== undefined) return known.metadata;
      }
      return undefined;
    },
    erased(kind, { name, namespace }, uid, origin) {
      for (const { informer } of of(kind)) informer.erased(uid, namespace, name, origin);
    },
    health: () => [...shared.values()].flatMap(({ informer }) => informer.health()),
    async stop() {
      stopped = true;
      await Promise.all([...shared.values()].map(({ informer }) => informer.stop()));
      shared.clear();
    },
  };
}

/** What this store keeps of an object that came in an answer rather than through its stream. */
function kept(informer: Informer<any>, object: Stored): Stored {
  const { apiVersion, kind, metadata } = object;
  return informer.prepare(informer.kind.metadataOnly === true ? { apiVersion, kind, metadata } : object);
}

const ids = new WeakMap<object, number>();
let next = 0;
/** Two scopes share a store only when they transform with the same function. */
function idOf(transform: object): number {
  const id = ids.get(transform) ?? ++next;
  ids.set(transform, id);
  return id;
}

import type { Client } from "../client/index.ts";
import { type Clock, createAbortController, type Random } from "../clock/index.ts";
import { runInBackground } from "../errors/index.ts";
import { stringifyJson } from "../json/index.ts";
import type { KindInfo } from "../kinds/index.ts";
import type { LabelMatcher } from "../selectors/index.ts";
import { createReadYourWritesStore, type ObjectChange } from "./read-your-writes.ts";
import { type ReflectorHandler, runReflector, WATCH_SILENCE_LIMIT } from "./reflector.ts";
import { createStore, type IndexFunction, type Store, type StoredObject } from "./store.ts";
import { NotSynced, type WatchProblem } from "./watch-problem.ts";

/** Receives every change once, in order. An error is reported and affects no other handler; a returned promise is not awaited. */
export type ChangeHandler<T> = (change: ObjectChange<T>) => void;

/** The objects an informer watches. */
export interface InformerScope {
  /** Default: the namespaces of the cache. */
  readonly namespaces?: readonly string[] | undefined;
  readonly labels?: LabelMatcher | undefined;
  readonly fields?: string | undefined;
}

/** Callbacks for logs and metrics. */
export interface CacheObserver {
  /** A handler, an index function or a transform threw, or a watch event held no object. The object is skipped, the watch continues. */
  onObjectError?(kind: KindInfo, object: unknown, error: unknown): void;
  /** The watch failed, or recovered (`undefined`). */
  onWatchProblem?(kind: KindInfo, namespace: string | undefined, problem: WatchProblem | undefined): void;
  /** A list completed: the first one, or a relist. */
  onListed?(kind: KindInfo, namespace: string | undefined, objects: number): void;
  /** An object was decoded and reduced to what is stored. Default: it is not reported, which costs nothing. */
  onDecoded?(object: StoredObject, stored: StoredObject): void;
  /** A watch event arrived; `object` is what is stored of it. Default: as `onDecoded`. */
  onEvent?(kind: KindInfo, type: string, object: StoredObject): void;
}

export interface InformerOptions<T> extends InformerScope {
  readonly client: Client;
  readonly kind: KindInfo;
  readonly clock: Clock;
  readonly random: Random;
  readonly observer: CacheObserver;
  readonly transform?: ((object: T) => T) | undefined;
}

/** Health of one watch: of a kind in one namespace, or in all of them. */
export interface WatchHealth {
  readonly kind: KindInfo;
  /** `undefined`: all namespaces. */
  readonly namespace: string | undefined;
  /** Whether the first list is complete. */
  readonly isSynced: boolean;
  /** Milliseconds since the last response, event or bookmark; `undefined` before the first. */
  readonly lastEventAge: number | undefined;
  /** All changes up to this version are in the store; `undefined` before the first list. */
  readonly resourceVersion: string | undefined;
  /** Number of stored objects. */
  readonly objects: number;
  /** Their size as JSON, estimated from a sample on access. */
  readonly bytes: number;
  /** Own writes whose watch event has not arrived yet. */
  readonly pendingWrites: number;
  /** Why the watch is not established; `undefined` while it is. */
  readonly problem: WatchProblem | undefined;
  /** How often everything was listed again after the first list, because the API server no longer had the changes since. */
  readonly relists: number;
  /** The last problem, also once it is over, and how many milliseconds ago it began; `undefined` if there was none. */
  readonly lastProblem: { readonly problem: WatchProblem; readonly age: number } | undefined;
  /** Whether the watch is synced and received an event or bookmark recently. Readiness depends on it. */
  readonly isFresh: boolean;
}

export const OWNER_INDEX = "owner";
/** Leaves time to replace a silent watch before it counts as stale. */
const FRESHNESS_LIMIT = WATCH_SILENCE_LIMIT + 5_000;

/** The reflector of one namespace, or of all. */
interface NamespaceWatch {
  readonly namespace: string | undefined;
  readonly abort: AbortController;
  readonly done: Promise<void>;
  isSynced: boolean;
  lastEventAt: number | undefined;
  /** Of the last list, event or bookmark; unchanged while the reflector lists again. */
  resourceVersion: string | undefined;
  problem: WatchProblem | undefined;
  lists: number;
  /** With the monotonic time at which it began. */
  lastProblem: { readonly problem: WatchProblem; readonly at: number } | undefined;
}

/** Creates an informer for one kind and scope: its reflectors, its store and its handlers. */
export function createInformer<T extends StoredObject>(options: InformerOptions<T>) {
  const { kind, clock, observer } = options;
  const objects: Store<T> = createStore<T>((object, _index, error) => observer.onObjectError?.(kind, object, error));
  objects.addIndex(OWNER_INDEX, ownerUids);
  const ownWrites = createReadYourWritesStore<T>(objects, { belongsToScope: (object) => belongsToScope(object) });
  const handlers = new Set<ChangeHandler<T>>();
  const listListeners = new Set<() => void>();
  const watches = new Map<string | undefined, NamespaceWatch>();
  let syncWaiters: (() => void)[] = [];
  let stopped = false;

  const belongsToScope = (object: T): boolean | undefined => {
    const { namespace, labels } = object.metadata;
    if (!watches.has(undefined) && !watches.has(namespace)) return false;
    if (options.labels !== undefined && !options.labels.matches(labels)) return false;
    return options.fields === undefined ? true : undefined;
  };
  const notify = (handler: ChangeHandler<T>, change: ObjectChange<T>) => {
    const report = (error: unknown) => observer.onObjectError?.(kind, change.new ?? change.old, error);
    try {
      const returned: unknown = handler(change);
      if (returned instanceof Promise) runInBackground(returned, report);
    } catch (error) {
      report(error);
    }
  };
  const notifyAll = (changes: readonly (ObjectChange<T> | undefined)[]) => {
    for (const change of changes) if (change !== undefined) for (const handler of handlers) notify(handler, change);
  };
  const isSynced = () => [...watches.values()].every((watch) => watch.isSynced);
  const markSynced = (watch: NamespaceWatch) => {
    watch.isSynced = true;
    if (isSynced()) for (const resolve of syncWaiters.splice(0)) resolve();
  };

  const startReflector = (namespace: string | undefined) => {
    const abort = createAbortController();
    const watch: NamespaceWatch = {
      namespace,
      abort,
      done: undefined as never,
      isSynced: false,
      lastEventAt: undefined,
      resourceVersion: undefined,
      problem: undefined,
      lists: 0,
      lastProblem: undefined,
    };
    const handler: ReflectorHandler<T> = {
      beginList: ownWrites.beginList,
      onList(items, version, since) {
        notifyAll(ownWrites.applyList(items, version, since, namespace));
        watch.lastEventAt = clock.monotonic();
        watch.lists++;
        observer.onListed?.(kind, namespace, items.length);
        markSynced(watch);
        for (const listener of listListeners) listener();
      },
      onEvent(type, object) {
        observer.onEvent?.(kind, type, object);
        notifyAll([ownWrites.applyEvent(type, object)]);
      },
      onProgress: (version) => notifyAll(ownWrites.applyProgress(version, namespace)),
      onBookmark: (version) => notifyAll(ownWrites.applyBookmark(version, namespace)),
      onKindMissing() {
        notifyAll(ownWrites.clear(namespace));
        if (kind.optional === true) markSynced(watch);
        else watch.isSynced = false;
      },
      onActivity() {
        watch.lastEventAt = clock.monotonic();
      },
      onState(state) {
        const before = watch.problem;
        watch.problem = state.problem;
        if (state.phase === "watch") watch.resourceVersion = state.resourceVersion;
        if (state.problem !== undefined && before?.message !== state.problem.message)
          watch.lastProblem = { problem: state.problem, at: clock.monotonic() };
        if (before?.message !== state.problem?.message) observer.onWatchProblem?.(kind, namespace, state.problem);
      },
      onObjectError: (object, error) => observer.onObjectError?.(kind, object, error),
    };
    const { labels, fields } = options;
    watches.set(namespace, watch);
    const done = runReflector<T>({
      ...options,
      namespace,
      labels: labels?.selectorText,
      fields,
      handler,
      transform: options.transform,
      signal: abort.signal,
    });
    runInBackground(done);
    Object.assign(watch, { done });
  };
  const stopReflector = async (watch: NamespaceWatch) => {
    watches.delete(watch.namespace);
    watch.abort.abort(new Error("the watch was closed"));
    await watch.done;
  };

  for (const namespace of options.namespaces ?? [undefined]) startReflector(namespace);

  return {
    kind,
    store: objects,
    get isSynced() {
      return isSynced();
    },
    /** Throws `NotSynced` before the first list is complete. */
    assertSynced() {
      if (!isSynced()) throw new NotSynced(kind, [...watches.values()].find((watch) => !watch.isSynced)?.problem);
    },
    /** Resolves when the first list is complete and every handler has received it. */
    waitForSync(): Promise<void> {
      return isSynced() ? Promise.resolve() : new Promise((resolve) => syncWaiters.push(resolve));
    },
    /** Adds a handler. It receives the stored objects at once, as "listed". Returns a function that removes it. */
    addHandler(handler: ChangeHandler<T>): () => void {
      handlers.add(handler);
      for (const object of objects.list()) notify(handler, { event: "listed", old: undefined, new: object });
      return () => handlers.delete(handler);
    },
    /** Adds a listener that is called after every complete list. Returns a function that removes it. */
    onListed(listener: () => void): () => void {
      listListeners.add(listener);
      return () => listListeners.delete(listener);
    },
    /** Reduces an object to what is stored of it. */
    transform: (object: T): T => options.transform?.(object) ?? object,
    addIndex: (name: string, keys: IndexFunction<T>) => objects.addIndex(name, keys),
    recordWrite(object: T, origin: unknown): boolean {
      const change = stopped ? undefined : ownWrites.applyOwnWrite(object, origin);
      notifyAll([change]);
      return change !== undefined;
    },
    recordDelete(uid: string, namespace: string | undefined, name: string, origin: unknown): void {
      if (!stopped) notifyAll([ownWrites.applyOwnDelete(uid, namespace, name, origin)]);
    },
    /** Watches exactly these namespaces: lists new ones, and removes the objects of the others. */
    async setNamespaces(namespaces: readonly string[]): Promise<void> {
      for (const namespace of namespaces) if (!watches.has(namespace)) startReflector(namespace);
      const dropped = [...watches.values()].filter((watch) => watch.namespace === undefined || !namespaces.includes(watch.namespace));
      await Promise.all(dropped.map(stopReflector));
      for (const watch of dropped) notifyAll(ownWrites.clear(watch.namespace));
    },
    health(): WatchHealth[] {
      const now = clock.monotonic();
      return [...watches.values()].map(({ namespace, isSynced, lastEventAt, resourceVersion, problem, lists, lastProblem }) => {
        const lastEventAge = lastEventAt === undefined ? undefined : now - lastEventAt;
        const isRecent = problem?.type !== "silent" && lastEventAge !== undefined && lastEventAge <= FRESHNESS_LIMIT;
        return {
          kind,
          namespace,
          isSynced,
          lastEventAge,
          resourceVersion,
          objects: namespace === undefined ? objects.size : objects.list(namespace).length,
          get bytes() {
            return estimateSize(objects.list(namespace));
          },
          pendingWrites: ownWrites.pendingWrites,
          problem,
          relists: Math.max(0, lists - 1),
          lastProblem: lastProblem && { problem: lastProblem.problem, age: now - lastProblem.at },
          isFresh: isSynced && (problem?.type === "missing" || isRecent),
        };
      });
    },
    async stop(): Promise<void> {
      stopped = true;
      syncWaiters = [];
      handlers.clear();
      listListeners.clear();
      await Promise.all([...watches.values()].map(stopReflector));
    },
  };
}
export type Informer<T extends StoredObject> = ReturnType<typeof createInformer<T>>;

function ownerUids(object: StoredObject): readonly string[] | undefined {
  return object.metadata.ownerReferences?.map((owner) => owner.uid);
}

const SAMPLE_SIZE = 20;
/** Estimates the size of the objects as JSON, in characters. */
function estimateSize(objects: readonly StoredObject[]): number {
  if (objects.length === 0) return 0;
  const step = Math.ceil(objects.length / SAMPLE_SIZE);
  const sample = objects.filter((_, i) => i % step === 0);
  const weight = sample.reduce((sum, object) => sum + stringifyJson(object).length, 0);
  return Math.round((weight / sample.length) * objects.length);
}

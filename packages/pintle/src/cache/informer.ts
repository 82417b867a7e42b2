import type { Client } from "../client/index.ts";
import type { KindFacts } from "../kinds/index.ts";
import { aborter, type Clock, type Random } from "../queue/index.ts";
import { NotSynced, type Problem } from "./problem.ts";
import type { Reflection } from "./reflection.ts";
import { reflector, SILENCE } from "./reflector.ts";
import { type Change, replica } from "./replica.ts";
import type { Matcher } from "./selector.ts";
import { type IndexKeys, type Store, type Stored, store } from "./store.ts";

/** Sees every change once, in order; a throw is reported and harms no other handler. One that returns a promise is not waited for. */
export type Handler<T> = (change: Change<T>) => void;

/** What is followed: a kind, narrowed by what the server is asked for. */
export interface Scope {
  /** Default: the cache's namespaces. */
  readonly namespaces?: readonly string[] | undefined;
  readonly labels?: Matcher | undefined;
  readonly fields?: string | undefined;
}

/** What a metrics registry and a log hear about the watches. */
export interface CacheObserver {
  /** A handler, an index or a transform threw, or a line was no object: one object is affected, the watch goes on. */
  poisoned?(kind: KindFacts, object: unknown, error: unknown): void;
  /** The watch got into trouble, or out of it. */
  problem?(kind: KindFacts, namespace: string | undefined, problem: Problem | undefined): void;
  /** Everything was listed: the first time, or again. */
  listed?(kind: KindFacts, namespace: string | undefined, objects: number): void;
}

export interface InformerOptions<T> extends Scope {
  readonly client: Client;
  readonly kind: KindFacts;
  readonly clock: Clock;
  readonly random: Random;
  readonly observer: CacheObserver;
  readonly transform?: ((object: T) => T) | undefined;
}

/** How one stream of a watch is doing. */
export interface WatchHealth {
  readonly kind: KindFacts;
  readonly namespace: string | undefined;
  readonly synced: boolean;
  /** Milliseconds since the server was last heard; undefined before the first word. */
  readonly age: number | undefined;
  readonly version: string | undefined;
  readonly objects: number;
  /** Of them as JSON, estimated from a few when it is asked for. */
  readonly bytes: number;
  /** Own writes that the stream has not shown yet. */
  readonly ahead: number;
  readonly problem: Problem | undefined;
  /** Synced, and heard from lately: what readiness asks. */
  readonly fresh: boolean;
}

export const OWNER = "owner";
/** The slack between noticing a silent watch and having its replacement answered. */
const FRESH = SILENCE + 5_000;

interface Part {
  readonly namespace: string | undefined;
  readonly abort: AbortController;
  readonly done: Promise<void>;
  synced: boolean;
  heard: number | undefined;
  state: Reflection | undefined;
}

/** One kind and scope: its streams, its store, and whoever listens. */
export function informer<T extends Stored>(options: InformerOptions<T>) {
  const { kind, clock, observer } = options;
  const objects: Store<T> = store<T>((object, _index, error) => observer.poisoned?.(kind, object, error));
  objects.index(OWNER, ownersOf);
  const local = replica<T>(objects, { belongs: (object) => belongs(object) });
  const handlers = new Set<Handler<T>>();
  const listeners = new Set<() => void>();
  const parts = new Map<string | undefined, Part>();
  let waiting: (() => void)[] = [];
  let stopped = false;

  const belongs = (object: T): boolean | undefined => {
    const { namespace, labels } = object.metadata;
    if (!parts.has(undefined) && !parts.has(namespace)) return false;
    if (options.labels !== undefined && !options.labels.matches(labels)) return false;
    return options.fields === undefined ? true : undefined;
  };
  const tell = (handler: Handler<T>, change: Change<T>) => {
    const failed = (error: unknown) => observer.poisoned?.(kind, change.new ?? change.old, error);
    try {
      const going: unknown = handler(change);
      // Nobody waits for a slow one.
      if (going instanceof Promise) going.catch(failed);
    } catch (error) {
      failed(error);
    }
  };
  const tellAll = (changes: readonly (Change<T> | undefined)[]) => {
    for (const change of changes) if (change !== undefined) for (const handler of handlers) tell(handler, change);
  };
  const synced = () => [...parts.values()].every((part) => part.synced);
  const markSynced = (part: Part) => {
    part.synced = true;
    if (synced()) for (const resolve of waiting.splice(0)) resolve();
  };

  const follow = (namespace: string | undefined) => {
    const abort = aborter();
    const part: Part = { namespace, abort, done: undefined as never, synced: false, heard: undefined, state: undefined };
    const sink = {
      mark: local.mark,
      listed(items: readonly T[], version: string, since: number) {
        tellAll(local.listed(items, version, since, namespace));
        part.heard = clock.monotonic();
        observer.listed?.(kind, namespace, items.length);
        markSynced(part);
        for (const listener of listeners) listener();
      },
      seen(type: "ADDED" | "MODIFIED" | "DELETED", object: T) {
        tellAll([local.seen(type, object)]);
      },
      reached: (version: string) => tellAll(local.reached(version, namespace)),
      bookmarked: (version: string) => tellAll(local.bookmarked(version, namespace)),
      absent() {
        tellAll(local.lost(namespace));
        if (kind.optional === true) markSynced(part);
        else part.synced = false;
      },
      heard() {
        part.heard = clock.monotonic();
      },
      stands(state: Reflection) {
        const before = part.state?.problem;
        part.state = state;
        if (before?.message !== state.problem?.message) observer.problem?.(kind, namespace, state.problem);
      },
      poisoned: (line: unknown, error: unknown) => observer.poisoned?.(kind, line, error),
    };
    const { labels, fields } = options;
    parts.set(namespace, part);
    const done = reflector<T>({
      ...options,
      namespace,
      labels: labels?.text,
      fields,
      sink,
      prepare: options.transform,
      signal: abort.signal,
    });
    Object.assign(part, { done });
  };
  const leave = async (part: Part) => {
    parts.delete(part.namespace);
    part.abort.abort(new Error("the watch is no longer wanted"));
    await part.done;
  };

  for (const namespace of options.namespaces ?? [undefined]) follow(namespace);

  return {
    kind,
    store: objects,
    get synced() {
      return synced();
    },
    /** Throws when reading would show nothing or half of everything. */
    check() {
      if (!synced()) throw new NotSynced(kind, [...parts.values()].find((part) => !part.synced)?.state?.problem);
    },
    /** Resolves when everything has been listed and every handler has seen it. */
    whenSynced(): Promise<void> {
      return synced() ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));
    },
    /** From now on; what is already there comes at once, as "listed". */
    on(handler: Handler<T>): () => void {
      handlers.add(handler);
      for (const object of objects.list()) tell(handler, { event: "listed", old: undefined, new: object });
      return () => handlers.delete(handler);
    },
    /** After every complete list: the first, and those after an interruption. */
    onListed(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** As it is kept here, whichever way it came. */
    prepare: (object: T): T => options.transform?.(object) ?? object,
    index: (name: string, keys: IndexKeys<T>) => objects.index(name, keys),
    wrote(object: T, origin: unknown): boolean {
      const change = stopped ? undefined : local.wrote(object, origin);
      tellAll([change]);
      return change !== undefined;
    },
    erased(uid: string, namespace: string | undefined, name: string, origin: unknown): void {
      if (!stopped) tellAll([local.erased(uid, namespace, name, origin)]);
    },
    /** Follow exactly these namespaces from now on: new ones are listed, objects of the others go. */
    async narrow(namespaces: readonly string[]): Promise<void> {
      for (const namespace of namespaces) if (!parts.has(namespace)) follow(namespace);
      const gone = [...parts.values()].filter((part) => part.namespace === undefined || !namespaces.includes(part.namespace));
      await Promise.all(gone.map(leave));
      for (const part of gone) tellAll(local.lost(part.namespace));
    },
    health(): WatchHealth[] {
      const now = clock.monotonic();
      return [...parts.values()].map(({ namespace, synced, heard, state }) => {
        const age = heard === undefined ? undefined : now - heard;
        const problem = state?.problem;
        const heardLately = problem?.type !== "silent" && age !== undefined && age <= FRESH;
        return {
          kind,
          namespace,
          synced,
          age,
          version: state?.version,
          objects: namespace === undefined ? objects.size : objects.list(namespace).length,
          get bytes() {
            return weightOf(objects.list(namespace));
          },
          ahead: local.ahead,
          problem,
          fresh: synced && (problem?.type === "missing" || heardLately),
        };
      });
    },
    async stop(): Promise<void> {
      stopped = true;
      waiting = [];
      handlers.clear();
      listeners.clear();
      await Promise.all([...parts.values()].map(leave));
    },
  };
}
export type Informer<T extends Stored> = ReturnType<typeof informer<T>>;

function ownersOf(object: Stored): readonly string[] | undefined {
  return object.metadata.ownerReferences?.map((owner) => owner.uid);
}

const SAMPLE = 20;
/** About how many characters of JSON these are. */
function weightOf(objects: readonly Stored[]): number {
  if (objects.length === 0) return 0;
  const step = Math.ceil(objects.length / SAMPLE);
  const sample = objects.filter((_, i) => i % step === 0);
  const weight = sample.reduce((sum, object) => sum + JSON.stringify(object).length, 0);
  return Math.round((weight / sample.length) * objects.length);
}

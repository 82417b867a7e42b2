import type { Client } from "../client/index.ts";
import type { KindFacts, Metadata } from "../kinds/index.ts";
import type { Cache } from "./cache.ts";

interface Ref {
  readonly name: string;
  readonly namespace?: string | undefined;
}
interface Answer {
  readonly metadata: Metadata;
  readonly spec?: { readonly finalizers?: readonly string[] | undefined } | undefined;
}
type Options = { readonly dryRun?: boolean | undefined; readonly uid?: string | undefined } | undefined;

export interface WriteObserver {
  /** A write was answered. `news`: it changed something that is watched, whether its answer or the watch was first to tell. */
  wrote?(object: Answer, news: boolean): void;
  /** A deletion was answered, and the object is gone. */
  erased?(uid: string): void;
}

/** Calls whose answers get into the cache; see `writesThrough`. */
export interface Landing {
  /** A verb whose answer is the object as it is now. */
  written<F extends Write>(call: F): F;
  /** A verb that deletes. */
  removed<F extends Write>(call: F): F;
}
type Write = (kind: any, what: any, ...rest: any[]) => Promise<any>;

/** The way of answers into a cache, for one verb at a time. */
export function landing(cache: Cache, origin?: unknown, observer: WriteObserver = {}): Landing {
  const landed = (kind: KindFacts, object: Answer, before: string | undefined, options: Options) => {
    if (options?.dryRun === true) return object;
    const entered = cache.wrote(kind, object, origin);
    const { resourceVersion } = object.metadata;
    const shown = resourceVersion !== before && cache.known(kind, object.metadata)?.resourceVersion === resourceVersion;
    observer.wrote?.(object, entered || shown);
    return object;
  };
  const written =
    (call: Write) =>
    async (kind: KindFacts, what: { readonly metadata?: Ref } & Ref, ...rest: any[]) => {
      const before = cache.known(kind, what.metadata ?? what)?.resourceVersion;
      return landed(kind, await call(kind, what, ...rest), before, rest.at(-1));
    };
  const removed = (call: Write) => async (kind: KindFacts, ref: Ref, options?: Options) => {
    const before = cache.known(kind, ref);
    const known = options?.uid ?? before?.uid;
    const answer = (await call(kind, ref, options)) as Answer | undefined;
    if (options?.dryRun === true) return answer;
    if (answer !== undefined && goesLater(answer)) return landed(kind, answer, before?.resourceVersion, undefined);
    const uid = answer?.metadata.uid ?? known;
    if (uid !== undefined) {
      cache.erased(kind, ref, uid, origin);
      observer.erased?.(uid);
    }
    return answer;
  };
  return { written, removed } as Landing;
}

/**
 * The same client, whose writes are seen by readers of the cache as soon as they are answered.
 *
 * Not covered: `deleteCollection`, `evict`, `bind`, `scale` and other subresources, whose answers are not the object;
 * their effect is seen when the watch shows it.
 */
export function writesThrough(client: Client, cache: Cache, origin?: unknown, observer?: WriteObserver): Client {
  const { written, removed } = landing(cache, origin, observer);
  const through = {
    ...client,
    create: written(client.create as Write),
    replace: written(client.replace as Write),
    patch: written(client.patch as Write),
    apply: written(client.apply as Write),
    delete: removed(client.delete as Write),
    status: {
      ...client.status,
      replace: written(client.status.replace as Write),
      patch: written(client.status.patch as Write),
      apply: written(client.status.apply as Write),
    },
  };
  return through as unknown as Client;
}

/** Deleted, but finalizers (a namespace has its own) or a grace period keep it for now: then the answer is its new state. */
function goesLater({ metadata, spec }: Answer): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = metadata;
  const held = finalizers.length > 0 || (spec?.finalizers ?? []).length > 0;
  return deletionTimestamp !== undefined && (held || deletionGracePeriodSeconds > 0);
}

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

/**
 * The same client, whose writes are seen by readers of the cache as soon as they are answered.
 *
 * Not covered: `deleteCollection`, `evict`, `bind`, `scale` and other subresources, whose answers are not the object;
 * their effect is seen when the watch shows it.
 */
export function writesThrough(client: Client, cache: Cache, origin?: unknown, observer: WriteObserver = {}): Client {
  const landed = (kind: KindFacts, object: Answer, before: string | undefined, options: Options) => {
    if (options?.dryRun === true) return object;
    const entered = cache.wrote(kind, object, origin);
    const { resourceVersion } = object.metadata;
    const shown = resourceVersion !== before && cache.known(kind, object.metadata)?.resourceVersion === resourceVersion;
    observer.wrote?.(object, entered || shown);
    return object;
  };
  const verb =
    (call: (kind: any, what: any, ...rest: any[]) => Promise<any>) =>
    async (kind: KindFacts, what: { readonly metadata?: Ref } & Ref, ...rest: any[]) => {
      const before = cache.known(kind, what.metadata ?? what)?.resourceVersion;
      return landed(kind, await call(kind, what, ...rest), before, rest.at(-1));
    };

  const remove = async (kind: KindFacts, ref: Ref, options?: Options) => {
    const before = cache.known(kind, ref);
    const known = options?.uid ?? before?.uid;
    const answer = (await client.delete(kind as never, ref as never, options as never)) as Answer | undefined;
    if (options?.dryRun === true) return answer;
    if (answer !== undefined && goesLater(answer)) return landed(kind, answer, before?.resourceVersion, undefined);
    const uid = answer?.metadata.uid ?? known;
    if (uid !== undefined) {
      cache.erased(kind, ref, uid, origin);
      observer.erased?.(uid);
    }
    return answer;
  };
  const through = {
    ...client,
    create: verb(client.create),
    replace: verb(client.replace),
    patch: verb(client.patch),
    apply: verb(client.apply),
    delete: remove,
    status: {
      ...client.status,
      replace: verb(client.status.replace),
      patch: verb(client.status.patch),
      apply: verb(client.status.apply),
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

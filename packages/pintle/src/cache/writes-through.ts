import type { Client } from "../client/index.ts";
import type { KindFacts, Metadata } from "../kinds/index.ts";
import type { Cache } from "./cache.ts";

interface Ref {
  readonly name: string;
  readonly namespace?: string | undefined;
}
interface Answer {
  readonly metadata: Metadata;
}
type Options = { readonly dryRun?: boolean | undefined; readonly uid?: string | undefined } | undefined;

export interface WriteObserver {
  /** A write was answered. `news`: the cache did not know it yet, so it changed something that is watched. */
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
  const landed = (kind: KindFacts, object: Answer, options: Options) => {
    if (options?.dryRun === true) return object;
    const news = cache.wrote(kind, object, origin);
    observer.wrote?.(object, news);
    return object;
  };
  const verb =
    (call: (kind: any, what: any, ...rest: any[]) => Promise<any>) =>
    async (kind: KindFacts, what: unknown, ...rest: any[]) =>
      landed(kind, await call(kind, what, ...rest), rest.at(-1));

  const remove = async (kind: KindFacts, ref: Ref, options?: Options) => {
    const known = options?.uid ?? cache.uidOf(kind, ref);
    const answer = (await client.delete(kind as never, ref as never, options as never)) as Answer | undefined;
    if (options?.dryRun === true) return answer;
    if (answer !== undefined && goesLater(answer.metadata)) return landed(kind, answer, undefined);
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

/** Deleted, but finalizers or a grace period keep it for now: then the answer is its new state. */
function goesLater({ deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 }: Metadata): boolean {
  return deletionTimestamp !== undefined && (finalizers.length > 0 || deletionGracePeriodSeconds > 0);
}

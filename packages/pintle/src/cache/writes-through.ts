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
  /** An answer was news to the cache: this write changed something. */
  changed?(kind: KindFacts, object: Answer, verb: string): void;
}

/**
 * The same client, whose writes are seen by readers of the cache as soon as they are answered.
 *
 * Not covered: `deleteCollection`, `evict`, `bind`, `scale` and other subresources, whose answers are not the object;
 * their effect is seen when the watch shows it.
 */
export function writesThrough(client: Client, cache: Cache, origin?: unknown, observer: WriteObserver = {}): Client {
  const landed = (verb: string, kind: KindFacts, object: Answer, options: Options) => {
    if (options?.dryRun !== true && cache.wrote(kind, object, origin)) observer.changed?.(kind, object, verb);
    return object;
  };
  const verb =
    (name: string, call: (kind: any, what: any, ...rest: any[]) => Promise<any>) =>
    async (kind: KindFacts, what: unknown, ...rest: any[]) =>
      landed(name, kind, await call(kind, what, ...rest), rest.at(-1));

  const remove = async (kind: KindFacts, ref: Ref, options?: Options) => {
    const known = options?.uid ?? cache.uidOf(kind, ref);
    const answer = (await client.delete(kind as never, ref as never, options as never)) as Answer | undefined;
    if (options?.dryRun === true) return answer;
    if (answer !== undefined && goesLater(answer.metadata)) return landed("delete", kind, answer, undefined);
    const uid = answer?.metadata.uid ?? known;
    if (uid !== undefined) cache.erased(kind, ref, uid, origin);
    observer.changed?.(kind, answer ?? { metadata: { ...ref, uid } as Metadata }, "delete");
    return answer;
  };
  const through = {
    ...client,
    create: verb("create", client.create),
    replace: verb("replace", client.replace),
    patch: verb("patch", client.patch),
    apply: verb("apply", client.apply),
    delete: remove,
    status: {
      ...client.status,
      replace: verb("status", client.status.replace),
      patch: verb("status", client.status.patch),
      apply: verb("status", client.status.apply),
    },
  };
  return through as unknown as Client;
}

/** Deleted, but finalizers or a grace period keep it for now: then the answer is its new state. */
function goesLater({ deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 }: Metadata): boolean {
  return deletionTimestamp !== undefined && (finalizers.length > 0 || deletionGracePeriodSeconds > 0);
}

import type { Client } from "../client/index.ts";
import type { KindInfo, Metadata } from "../kinds/index.ts";
import type { Cache } from "./cache.ts";

interface WrittenObjectRef {
  readonly name: string;
  readonly namespace?: string | undefined;
}
interface WriteResponse {
  readonly metadata: Metadata;
  readonly spec?: { readonly finalizers?: readonly string[] | undefined } | undefined;
}
type WriteCallOptions = { readonly dryRun?: boolean | undefined; readonly uid?: string | undefined } | undefined;

/** Callbacks for the writes of one client. */
export interface WriteObserver {
  /** A write succeeded. `isChange`: a watched object changed, whether the response or the watch event arrived first. */
  onWrite?(object: WriteResponse, isChange: boolean, call: WriteCall): void;
  /** A delete succeeded and the object no longer exists. */
  onDelete?(uid: string, call: WriteCall): void;
}
/** A write that succeeded. */
export interface WriteCall extends WrittenObjectRef {
  readonly verb: string;
  readonly kind: KindInfo;
  /** Whether the cache watches the object, so that a write without an effect is recognized. */
  readonly isWatched: boolean;
}

/** Wraps single verbs so that their responses are stored in the cache; see `createWriteThroughClient`. */
export interface WriteThroughVerbs {
  /** Wraps a verb that returns the written object. */
  wrapWrite<F extends WriteVerb>(call: F, verb: string): F;
  /** Wraps a delete verb. */
  wrapDelete<F extends WriteVerb>(call: F): F;
}
type WriteVerb = (kind: any, what: any, ...rest: any[]) => Promise<any>;

/** Creates the wrappers for single verbs. `origin` is passed on in the `ObjectChange` of each write. */
export function createWriteThroughVerbs(cache: Cache, origin?: unknown, observer: WriteObserver = {}): WriteThroughVerbs {
  const recordResponse = (verb: string, kind: KindInfo, object: WriteResponse, before: string | undefined, options: WriteCallOptions) => {
    if (options?.dryRun === true) return object;
    const isStored = cache.recordWrite(kind, object, origin);
    const { resourceVersion, name, namespace } = object.metadata;
    const cached = cache.getVersion(kind, object.metadata);
    const isWatchFirst = resourceVersion !== before && cached?.resourceVersion === resourceVersion;
    observer.onWrite?.(object, isStored || isWatchFirst, { verb, kind, name, namespace, isWatched: cached !== undefined });
    return object;
  };
  const wrapWrite =
    (call: WriteVerb, verb: string) =>
    async (kind: KindInfo, what: { readonly metadata?: WrittenObjectRef } & WrittenObjectRef, ...rest: any[]) => {
      const before = cache.getVersion(kind, what.metadata ?? what)?.resourceVersion;
      return recordResponse(verb, kind, await call(kind, what, ...rest), before, rest.at(-1));
    };
  const wrapDelete = (call: WriteVerb) => async (kind: KindInfo, ref: WrittenObjectRef, options?: WriteCallOptions) => {
    const before = cache.getVersion(kind, ref);
    const expectedUid = options?.uid ?? before?.uid;
    const response = (await call(kind, ref, options)) as WriteResponse | undefined;
    if (options?.dryRun === true) return response;
    if (response !== undefined && isDeletionPending(response))
      return recordResponse("delete", kind, response, before?.resourceVersion, undefined);
    const uid = response?.metadata.uid ?? expectedUid;
    if (uid !== undefined) {
      cache.recordDelete(kind, ref, uid, origin);
      const { name, namespace } = ref;
      observer.onDelete?.(uid, { verb: "delete", kind, name, namespace, isWatched: before !== undefined });
    }
    return response;
  };
  return { wrapWrite, wrapDelete } as WriteThroughVerbs;
}

/**
 * Returns a client with the same verbs whose writes are visible in the cache from their response on (read-your-writes).
 *
 * Not covered: `deleteCollection`, `evict`, `bind`, `scale` and other subresources, whose responses are not the object. Their effect becomes
 * visible with the watch event.
 */
export function createWriteThroughClient(client: Client, cache: Cache, origin?: unknown, observer?: WriteObserver): Client {
  const { wrapWrite, wrapDelete } = createWriteThroughVerbs(cache, origin, observer);
  const through = {
    ...client,
    create: wrapWrite(client.create as WriteVerb, "create"),
    replace: wrapWrite(client.replace as WriteVerb, "replace"),
    patch: wrapWrite(client.patch as WriteVerb, "patch"),
    apply: wrapWrite(client.apply as WriteVerb, "apply"),
    delete: wrapDelete(client.delete as WriteVerb),
    status: {
      ...client.status,
      replace: wrapWrite(client.status.replace as WriteVerb, "replace status of"),
      patch: wrapWrite(client.status.patch as WriteVerb, "patch status of"),
      apply: wrapWrite(client.status.apply as WriteVerb, "apply status of"),
    },
  };
  return through as unknown as Client;
}

/** Returns whether finalizers (a namespace has its own in the spec) or a grace period retain a deleted object. The response is then its new state. */
function isDeletionPending({ metadata, spec }: WriteResponse): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = metadata;
  const hasFinalizers = finalizers.length > 0 || (spec?.finalizers ?? []).length > 0;
  return deletionTimestamp !== undefined && (hasFinalizers || deletionGracePeriodSeconds > 0);
}

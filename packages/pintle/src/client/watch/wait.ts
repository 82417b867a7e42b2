import { anySignal } from "../../clock/index.ts";
import type { KindInfo } from "../../kinds/index.ts";
import { ConnectionError, Expired, ServerError, Timeout, TooManyRequests } from "../errors/request-errors.ts";
import type { DynamicObject, ObjectList, WatchEvent } from "../verbs/objects.ts";
import type { WaitOptions, WatchOptions } from "../verbs/options.ts";
import { formatPath, formatSubject } from "../verbs/path.ts";
import type { NamespacedName, VerbContext } from "../verbs/request.ts";

interface ListerWatcher {
  list(kind: KindInfo, options: WatchOptions): Promise<ObjectList<unknown>>;
  watch(kind: KindInfo, options: WatchOptions): AsyncIterable<WatchEvent<unknown>>;
}
type ObservedObject = DynamicObject | undefined;

/** Backoff after a failure; doubles up to the maximum. */
const INITIAL_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 5000;

/** Returns the verbs that wait for a state of an object, by list and watch. */
export function createWaitVerbs(context: VerbContext, reader: ListerWatcher) {
  async function waitFor(
    kind: KindInfo,
    ref: NamespacedName,
    until: (object: DynamicObject) => boolean,
    options: WaitOptions = {},
  ): Promise<unknown> {
    return await waitUntil(kind, ref, (seen) => seen !== undefined && until(seen), "for the condition", options);
  }

  async function waitForDeletion(
    kind: KindInfo,
    ref: NamespacedName,
    options: WaitOptions & { readonly uid?: string | undefined } = {},
  ): Promise<void> {
    const isDeleted = (seen: ObservedObject) => seen === undefined || (options.uid !== undefined && seen.metadata.uid !== options.uid);
    await waitUntil(kind, ref, isDeleted, "for its deletion", options);
  }

  /** Resolves to the first state of the object for which `done` holds. */
  async function waitUntil(
    kind: KindInfo,
    ref: NamespacedName,
    done: (seen: ObservedObject) => boolean,
    what: string,
    options: WaitOptions,
  ): Promise<ObservedObject> {
    const deadline = options.timeout === undefined ? undefined : context.clock.now() + options.timeout;
    const limit = new AbortController();
    const signal = options.signal === undefined ? limit.signal : anySignal([options.signal, limit.signal]);
    let last: ObservedObject;
    const observe = (seen: ObservedObject) => {
      last = seen;
      return done(seen);
    };
    const waiting = observeStates(kind, ref, observe, signal);
    if (deadline === undefined) return await waiting;
    const stop = new AbortController();
    const timeout = context.clock.sleep(Math.max(0, deadline - context.clock.now()), stop.signal).then(
      () => limit.abort(createWaitTimeout(kind, ref, what, options.timeout!, last)),
      () => {},
    );
    try {
      return await waiting;
    } finally {
      stop.abort();
      await timeout;
    }
  }

  async function observeStates(
    kind: KindInfo,
    ref: NamespacedName,
    done: (seen: ObservedObject) => boolean,
    signal: AbortSignal,
  ): Promise<ObservedObject> {
    const selection: WatchOptions = { namespace: ref.namespace, fields: { "metadata.name": ref.name }, signal };
    let resourceVersion: string | undefined;
    let backoff = INITIAL_BACKOFF_MS;
    for (;;) {
      try {
        if (resourceVersion === undefined) {
          const { items, metadata } = await reader.list(kind, selection);
          const seen = items[0] as ObservedObject;
          if (done(seen)) return seen;
          resourceVersion = metadata.resourceVersion;
        }
        for await (const event of reader.watch(kind, { ...selection, resourceVersion })) {
          backoff = INITIAL_BACKOFF_MS;
          resourceVersion = (event.object as DynamicObject).metadata.resourceVersion;
          if (event.type === "BOOKMARK") continue;
          const seen = event.type === "DELETED" ? undefined : (event.object as DynamicObject);
          if (done(seen)) return seen;
        }
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Expired) resourceVersion = undefined;
        else if (!isTransient(error)) throw error;
      }
      await context.clock.sleep(backoff, signal);
      backoff = Math.min(backoff * 2, MAX_BACKOFF_MS);
    }
  }

  return { waitFor, waitForDeletion };
}

/** Whether a retry may succeed. */
function isTransient(error: unknown): boolean {
  return error instanceof ConnectionError || error instanceof Timeout || error instanceof TooManyRequests || error instanceof ServerError;
}

function createWaitTimeout(kind: KindInfo, ref: NamespacedName, what: string, ms: number, last: ObservedObject): Timeout {
  const request = `GET ${formatPath(kind, { namespace: ref.namespace })}?watch=true`;
  const seen = last === undefined ? "it did not exist" : `it was last seen at resourceVersion ${last.metadata.resourceVersion}`;
  return new Timeout({
    message: `${formatSubject(kind, ref)}: timed out after ${ms} ms waiting ${what}; ${seen} (${request})`,
    request,
    statusCode: 0,
  });
}

/**
 * Returns a predicate for `client.waitFor` that holds when the object has a condition with the given status. Default: "True".
 *
 * @example
 * ```ts
 * import { connect, hasCondition } from "pintle/client";
 * import { Deployment } from "pintle/kinds/apps/v1";
 *
 * const client = await connect();
 * await client.waitFor(Deployment, { namespace: "default", name: "web" }, hasCondition("Available"), { timeout: 60_000 });
 * ```
 */
export function hasCondition(type: string, status: "True" | "False" | "Unknown" = "True"): (object: unknown) => boolean {
  return (object) => {
    const { conditions } = (object as ObjectWithConditions).status ?? {};
    return conditions?.some((one) => one.type === type && one.status === status) === true;
  };
}

interface ObjectWithConditions {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] | undefined } | undefined;
}

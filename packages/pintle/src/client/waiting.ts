import type { KindFacts } from "../kinds/index.ts";
import { anySignal } from "./any-signal.ts";
import type { Core, PlainRef } from "./core.ts";
import { ConnectionError, Expired, ServerError, Timeout, TooManyRequests } from "./errors.ts";
import type { DynamicObject, List, WatchEvent } from "./objects.ts";
import type { WaitOptions, WatchOptions } from "./options.ts";
import { pathOf, subjectOf } from "./path.ts";

interface Reader {
  list(kind: KindFacts, options: WatchOptions): Promise<List<unknown>>;
  watch(kind: KindFacts, options: WatchOptions): AsyncIterable<WatchEvent<unknown>>;
}
type Seen = DynamicObject | undefined;

/** First pause after a failure; doubles up to the last. */
const FIRST_PAUSE = 200;
const LAST_PAUSE = 5000;

export function waiting(core: Core, reader: Reader) {
  async function wait(
    kind: KindFacts,
    ref: PlainRef,
    until: (object: DynamicObject) => boolean,
    options: WaitOptions = {},
  ): Promise<unknown> {
    return await follow(kind, ref, (seen) => seen !== undefined && until(seen), "for the condition", options);
  }

  async function waitGone(
    kind: KindFacts,
    ref: PlainRef,
    options: WaitOptions & { readonly uid?: string | undefined } = {},
  ): Promise<void> {
    const gone = (seen: Seen) => seen === undefined || (options.uid !== undefined && seen.metadata.uid !== options.uid);
    await follow(kind, ref, gone, "for it to go", options);
  }

  /** Gives every state of the object to `done` until that is true. */
  async function follow(kind: KindFacts, ref: PlainRef, done: (seen: Seen) => boolean, what: string, options: WaitOptions): Promise<Seen> {
    const deadline = options.timeout === undefined ? undefined : core.timing.now() + options.timeout;
    const limit = new AbortController();
    const signal = options.signal === undefined ? limit.signal : anySignal([options.signal, limit.signal]);
    let last: Seen;
    const remember = (seen: Seen) => {
      last = seen;
      return done(seen);
    };
    const ran = states(kind, ref, remember, signal);
    if (deadline === undefined) return await ran;
    const stop = new AbortController();
    const late = core.timing.sleep(Math.max(0, deadline - core.timing.now()), stop.signal).then(
      () => limit.abort(timedOut(kind, ref, what, options.timeout!, last)),
      () => {},
    );
    try {
      return await ran;
    } finally {
      stop.abort();
      await late;
    }
  }

  async function states(kind: KindFacts, ref: PlainRef, done: (seen: Seen) => boolean, signal: AbortSignal): Promise<Seen> {
    const selection: WatchOptions = { namespace: ref.namespace, fields: { "metadata.name": ref.name }, signal };
    let resourceVersion: string | undefined;
    let pause = FIRST_PAUSE;
    for (;;) {
      try {
        if (resourceVersion === undefined) {
          const { items, metadata } = await reader.list(kind, selection);
          const seen = items[0] as Seen;
          if (done(seen)) return seen;
          resourceVersion = metadata.resourceVersion;
        }
        for await (const event of reader.watch(kind, { ...selection, resourceVersion })) {
          pause = FIRST_PAUSE;
          resourceVersion = (event.object as DynamicObject).metadata.resourceVersion;
          if (event.type === "BOOKMARK") continue;
          const seen = event.type === "DELETED" ? undefined : (event.object as DynamicObject);
          if (done(seen)) return seen;
        }
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Expired) resourceVersion = undefined;
        else if (!passing(error)) throw error;
      }
      await core.timing.sleep(pause, signal);
      pause = Math.min(pause * 2, LAST_PAUSE);
    }
  }

  return { wait, waitGone };
}

/** Errors that go away by themselves. */
function passing(error: unknown): boolean {
  return error instanceof ConnectionError || error instanceof Timeout || error instanceof TooManyRequests || error instanceof ServerError;
}

function timedOut(kind: KindFacts, ref: PlainRef, what: string, ms: number, last: Seen): Timeout {
  const request = `GET ${pathOf(kind, { namespace: ref.namespace })}?watch=true`;
  const seen = last === undefined ? "it was not there" : `it was last seen at resourceVersion ${last.metadata.resourceVersion}`;
  return new Timeout({ message: `${subjectOf(kind, ref)}: waited ${ms} ms ${what}, in vain; ${seen} (${request})`, request, code: 0 });
}

import { type Bookmark, type Client, INITIAL_EVENTS_END, type WatchEvent } from "../client/index.ts";
import { type Clock, createAbortController, type Random } from "../clock/index.ts";
import { PintleError } from "../errors/index.ts";
import type { KindInfo } from "../kinds/index.ts";
import {
  INITIAL_STATE,
  nextReflectorState,
  type ReflectorEvent,
  type ReflectorRequest,
  type ReflectorState,
  toResumeVersion,
} from "./reflector-state.ts";
import type { StoredObject } from "./store.ts";
import { classifyWatchError } from "./watch-problem.ts";

/** Receives what a reflector lists and watches. */
export interface ReflectorHandler<T> {
  /** Called before a list is requested; the returned mark is passed to `onList`. */
  beginList(): number;
  /** A list is complete. */
  onList(items: readonly T[], version: string, since: number): void;
  /** A watch event arrived. */
  onEvent(type: "ADDED" | "MODIFIED" | "DELETED", object: T): void;
  /** All changes up to this version have been passed to `onEvent`. */
  onProgress(version: string): void;
  /** A bookmark arrived: like `onProgress`. */
  onBookmark(version: string): void;
  /** The API server does not serve the kind (any more). */
  onKindMissing(): void;
  /** The state of the reflector changed. */
  onState(state: ReflectorState): void;
  /** The API server sent anything: a response, an event, a bookmark. */
  onActivity(): void;
  /** An event held no valid object, or the transform threw; the object is skipped. */
  onObjectError(object: unknown, error: unknown): void;
}

export interface ReflectorOptions<T> {
  readonly client: Client;
  readonly kind: KindInfo;
  readonly namespace?: string | undefined;
  readonly labels?: string | undefined;
  readonly fields?: string | undefined;
  readonly handler: ReflectorHandler<T>;
  readonly clock: Clock;
  readonly random: Random;
  /** Applied to every object before it reaches the handler. If it throws, the object is skipped. */
  readonly transform?: ((object: T) => T) | undefined;
  readonly signal: AbortSignal;
}

/** The API server sends a bookmark about once a minute: a watch without even that is considered dead. */
export const WATCH_SILENCE_LIMIT = 70_000;
const FIRST_RESPONSE_LIMIT = 30_000;

/** One running reflector: what its requests share. */
interface ReflectorRun<T> {
  readonly options: ReflectorOptions<T>;
  readonly selection: Pick<ReflectorOptions<T>, "namespace" | "labels" | "fields">;
  /** Moves on to the next state. */
  dispatch(event: ReflectorEvent): void;
}

/** Lists and watches until the signal aborts; never rejects. `nextReflectorState` decides what to request, this function requests it. */
export async function runReflector<T extends StoredObject>(options: ReflectorOptions<T>): Promise<void> {
  const { clock, random, handler, signal, namespace, labels, fields } = options;
  let state = INITIAL_STATE;
  const run: ReflectorRun<T> = {
    options,
    selection: { namespace, labels, fields },
    dispatch(event) {
      state = nextReflectorState(state, event, random);
      handler.onState(state);
    },
  };
  while (!signal.aborted) {
    switch (state.phase) {
      case "backoff":
        await clock.sleep(state.delay, signal).catch(() => {});
        if (!signal.aborted) run.dispatch({ type: "waited" });
        break;
      case "pagedList":
        await requestPages(run);
        break;
      default:
        await requestWatch(run, state);
    }
  }
}

/** Lists all objects in pages. */
function requestPages<T extends StoredObject>(run: ReflectorRun<T>): Promise<void> {
  const { client, kind, handler } = run.options;
  return withLivenessCheck(run, "list", async (signal, markAlive) => {
    const since = handler.beginList();
    const items: T[] = [];
    let version: string | undefined;
    for await (const page of client.listPages(kind, { ...run.selection, signal })) {
      markAlive();
      version = page.metadata.resourceVersion;
      for (const item of page.items as unknown as readonly T[]) {
        const object = prepareObject(run.options, item);
        if (object !== undefined) items.push(object);
      }
    }
    const resourceVersion = toResumeVersion(version);
    handler.onList(items, resourceVersion, since);
    run.dispatch({ type: "progress", resourceVersion });
  });
}

/** Watches from a version, or lists all objects as initial events and then watches. */
function requestWatch<T extends StoredObject>(
  run: ReflectorRun<T>,
  request: Exclude<ReflectorRequest, { readonly phase: "pagedList" }>,
): Promise<void> {
  const { client, kind, clock, handler } = run.options;
  return withLivenessCheck(run, "watch", async (signal, markAlive) => {
    const since = handler.beginList();
    const started = clock.monotonic();
    /** Collects the initial events; `undefined` once the list is complete. */
    let initial: T[] | undefined = request.phase === "streamingList" ? [] : undefined;
    const from =
      request.phase === "watch"
        ? { resourceVersion: request.resourceVersion }
        : { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" as const };
    const onOpen = () => {
      markAlive(initial === undefined ? WATCH_SILENCE_LIMIT : FIRST_RESPONSE_LIMIT);
      run.dispatch({ type: "opened" });
    };
    // `withLivenessCheck` detects a dead watch: the client's check is disabled.
    for await (const event of client.watch(kind, { ...run.selection, ...from, idleTimeout: 0, onOpen, signal })) {
      markAlive();
      if (initial === undefined) {
        deliverEvent(run, event as WatchEvent<unknown>);
        continue;
      }
      if (event.type !== "BOOKMARK") initial = withInitialEvent(run.options, initial, event as WatchEvent<unknown>);
      else if (isInitialEventsEnd(event.object as Bookmark)) {
        const resourceVersion = toResumeVersion((event.object as Bookmark).metadata.resourceVersion);
        handler.onList(initial, resourceVersion, since);
        initial = undefined;
        run.dispatch({ type: "progress", resourceVersion });
        markAlive(WATCH_SILENCE_LIMIT);
      }
    }
    if (!signal.aborted) run.dispatch({ type: "ended", after: clock.monotonic() - started });
  });
}

/** Passes an event of an established watch to the handler. */
function deliverEvent<T extends StoredObject>({ options, dispatch }: ReflectorRun<T>, event: WatchEvent<unknown>): void {
  const { handler } = options;
  if (event.type === "BOOKMARK") {
    const resourceVersion = toResumeVersion((event.object as Bookmark).metadata.resourceVersion);
    handler.onBookmark(resourceVersion);
    dispatch({ type: "progress", resourceVersion });
    return;
  }
  const object = prepareObject(options, event.object as T);
  if (object === undefined) return;
  const resourceVersion = toResumeVersion((event.object as T).metadata.resourceVersion);
  handler.onEvent(event.type, object);
  handler.onProgress(resourceVersion);
  dispatch({ type: "progress", resourceVersion });
}

/** Adds an initial event of a streaming list. An object can be deleted before the list is complete. */
function withInitialEvent<T extends StoredObject>(options: ReflectorOptions<T>, initial: T[], event: WatchEvent<unknown>): T[] {
  const object = prepareObject(options, event.object as T);
  if (object === undefined) return initial;
  if (event.type === "DELETED") return initial.filter((known) => known.metadata.uid !== object.metadata.uid);
  initial.push(object);
  return initial;
}

function isInitialEventsEnd({ metadata }: Bookmark): boolean {
  return metadata.annotations?.[INITIAL_EVENTS_END] === "true";
}

/** Validates and transforms an object; reports it and returns `undefined` if that fails. */
function prepareObject<T extends StoredObject>({ transform, handler }: ReflectorOptions<T>, object: T): T | undefined {
  try {
    const { metadata } = object;
    if (typeof metadata.name !== "string" || !metadata.resourceVersion)
      throw new PintleError("PINTLE1114", "the object has no name or no resourceVersion");
    return transform === undefined ? object : transform(object);
  } catch (error) {
    handler.onObjectError(object, error);
    return undefined;
  }
}

/**
 * Executes a request with a signal that also aborts when `markAlive` was not called for a while, and dispatches its failure. This is the only
 * liveness check of a watch; `markAlive(limit)` also changes how long the request may be silent.
 */
async function withLivenessCheck<T>(
  { options, dispatch }: ReflectorRun<T>,
  verb: "list" | "watch",
  work: (signal: AbortSignal, markAlive: (limit?: number) => void) => Promise<void>,
): Promise<void> {
  const { clock, handler, kind, signal } = options;
  const request = createAbortController(signal);
  let isSilent = false;
  let limit = FIRST_RESPONSE_LIMIT;
  let last = clock.monotonic();
  let first: number | undefined;
  const check = () => {
    const left = last + limit - clock.monotonic();
    if (left > 0) timer = clock.setTimeout(check, left);
    else {
      isSilent = true;
      request.abort(new Error(`nothing received for ${limit / 1000} s`));
    }
  };
  let timer = clock.setTimeout(check, limit);
  const markAlive = (next = limit) => {
    limit = next;
    last = clock.monotonic();
    first ??= last;
    handler.onActivity();
  };
  try {
    await work(request.signal, markAlive);
  } catch (error) {
    if (signal.aborted) return;
    if (isSilent) {
      const message = `${kind.kind}: nothing received for ${limit / 1000} s; connecting again`;
      dispatch({ type: "silent", problem: { type: "silent", message } });
      return;
    }
    const problem = classifyWatchError(error, kind, verb);
    if (problem.type === "missing") handler.onKindMissing();
    dispatch({ type: "failed", problem, after: first === undefined ? 0 : clock.monotonic() - first });
  } finally {
    clock.clearTimeout(timer);
    // Closes a stream whose loop was left before the stream ended.
    request.abort();
  }
}

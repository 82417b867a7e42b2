import type { Clock } from "pintle/internal/clock";
import type { JsonObject } from "pintle/kinds";
import { ApiError, badRequest } from "../../status/index.ts";
import { CompactedError } from "../../store/index.ts";
import { buildSelection, formatInvalidResourceVersion, type ListOptions, parseListOptions } from "../options/list-options.ts";
import type { WatchStream } from "../request/api-request.ts";
import type { RequestContext } from "../request-context.ts";
import { buildCollectionPrefix } from "../storage/storage-codec.ts";
import { waitForRevision } from "../storage/wait-for-revision.ts";
import { createEventTranslator, type EventTranslator } from "./event-translator.ts";
import { createWatchEvent } from "./watch-event-cache.ts";
import { createWatchFormat } from "./watch-format.ts";
import type { WatchTarget } from "./watch-multiplexer.ts";
import { createWatchStream, type WatchStreamWriter } from "./watch-stream.ts";

const MIN_DEFAULT_TIMEOUT_SECONDS = 30 * 60;

/** Opens a watch. Errors after this come as an ERROR event. */
export async function openWatch(context: RequestContext): Promise<WatchStream> {
  const { server, resource, info, request } = context;
  const { store, clock } = server;
  const options = parseListOptions(request.query, true, server);
  const wanted = addNameSelector(context, options);
  const matches = buildSelection(wanted, resource)?.matches;
  const from = parseWatchStart(context, options);
  if (from.initial) await waitForRevision(server, from.revision, request);

  const cleanup: (() => void)[] = [];
  const writer = createWatchStream(() => {
    for (const undo of cleanup) undo();
  });
  const follow = createEventTranslator({
    server,
    resource,
    matches,
    watchFormat: createWatchFormat(context.format, () => clock.now()),
    writer,
  });
  const prefix = buildCollectionPrefix(resource, info.namespace);
  let after = from.revision;
  if (from.initial) {
    const { entries, revision } = await store.range(prefix);
    await follow.translateInitial(entries);
    after = revision;
  }
  try {
    cleanup.push(await subscribe(context, prefix, after, { options: wanted, writer, translator: follow }));
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error;
    writer.event(createWatchEvent("ERROR", tooOldError(error).status as unknown as JsonObject, context.format.mediaTypeOptions.mediaType));
    writer.end();
    return writer.stream;
  }
  if (from.initial && options.allowBookmarks) follow.writeBookmark(true);

  const seconds = options.timeoutSeconds || MIN_DEFAULT_TIMEOUT_SECONDS * (1 + server.jitter());
  const { livenessClock = clock } = request;
  const timer = livenessClock.setTimeout(writer.end, seconds * 1000);
  cleanup.push(() => livenessClock.clearTimeout(timer));
  if (options.allowBookmarks)
    cleanup.push(startBookmarkTimer(livenessClock, livenessClock.now() + seconds * 1000, () => follow.writeBookmark(false)));
  cleanup.push(onDefinitionChange(context, writer.end));
  const signal = request.signal();
  signal.addEventListener("abort", writer.end);
  cleanup.push(() => signal.removeEventListener("abort", writer.end));
  if (signal.aborted) writer.end();
  return writer.stream;
}

interface WatchSubscription {
  readonly options: ListOptions;
  readonly writer: WatchStreamWriter;
  readonly translator: EventTranslator;
}

/** Subscribes the writer to commits after a revision: to a translator shared with equal watches where possible, or to its own. */
async function subscribe(
  { server, resource, format }: RequestContext,
  prefix: string,
  after: number,
  { options, writer, translator }: WatchSubscription,
) {
  const { store, clock, watchMultiplexer } = server;
  const { labels, fields, shards } = options;
  const watchFormat = createWatchFormat(format, () => clock.now());
  // A table has its columns in the first event of each watch, and events that wait for a conversion webhook come at different times.
  const isUnfiltered =
    labels.length === 0 && fields.length === 0 && shards === undefined && format.mediaTypeOptions.convertTo?.kind !== "Table";
  if (!isUnfiltered || resource.storage.conversion !== undefined || after > store.currentRevision()) {
    return store.watch(prefix, after, translator.translateCommit);
  }
  let target: WatchTarget = writer;
  const relay: WatchTarget = { event: (event) => target.event(event), end: () => target.end() };
  const { translateCommit } = createEventTranslator({ server, resource, matches: undefined, watchFormat, writer: relay });
  const stop = await store.watch(prefix, after, translateCommit);
  const redirect = (to: WatchTarget) => {
    target = to;
  };
  return watchMultiplexer.join(resource, `${prefix} ${watchFormat.nextCacheKey()}`, writer, { redirect, stop });
}

/** Ends the watch when its CRD changes or is deleted: clients list again. */
function onDefinitionChange({ server, resource }: RequestContext, end: () => void): () => void {
  const { registry } = server;
  return registry.onChange(() => {
    if (registry.find(resource.group, resource.version, resource.plural)?.schema !== resource.schema) end();
  });
}

/** Adds the name of the path to the field selector. */
function addNameSelector({ info }: RequestContext, options: ListOptions): ListOptions {
  if (info.name === "") return options;
  const named = options.fields.find((term) => term.field === "metadata.name" && term.equal);
  if (options.fields.length > 0 && named?.value !== info.name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  return named === undefined ? { ...options, fields: [{ field: "metadata.name", equal: true, value: info.name }] } : options;
}

/** Parses where the watch starts: with the current state (at least as new as `revision`), or after `revision`. */
function parseWatchStart({ server }: RequestContext, { resourceVersion, sendInitialEvents }: ListOptions) {
  if (!/^\d*$/.test(resourceVersion)) throw new ApiError(500, "", formatInvalidResourceVersion(resourceVersion));
  const revision = Number(resourceVersion);
  if (sendInitialEvents ?? revision === 0) return { initial: true, revision };
  return { initial: false, revision: revision === 0 ? server.store.currentRevision() : revision };
}

function tooOldError({ requestedRevision, oldestRevision }: CompactedError): ApiError {
  return new ApiError(410, "Expired", `too old resource version: ${requestedRevision} (${oldestRevision})`);
}

const BOOKMARK_INTERVAL_MS = 60_000;
const BOOKMARK_BEFORE_END_MS = 2000;

/** Calls `send` about every minute and shortly before `end`; returns a function that stops it. */
function startBookmarkTimer(clock: Clock, end: number, send: () => void): () => void {
  let timer: object | undefined;
  const arm = () => {
    const now = clock.now();
    const at = Math.min(now + BOOKMARK_INTERVAL_MS, end - BOOKMARK_BEFORE_END_MS);
    if (at <= now) return;
    timer = clock.setTimeout(() => {
      send();
      arm();
    }, at - now);
  };
  arm();
  return () => clock.clearTimeout(timer);
}

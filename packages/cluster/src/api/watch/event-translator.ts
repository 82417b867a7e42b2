import type { JsonObject } from "pintle/kinds";
import type { StoreEntry, StoreEvent } from "../../store/index.ts";
import { Slices } from "../../turns/index.ts";
import { withMetadata } from "../metadata/object-meta.ts";
import type { ServedResource } from "../registry/served-resource.ts";
import type { WatchEventType } from "../request/api-request.ts";
import type { ServerDependencies } from "../request-context.ts";
import { createStoredWatchEvent, createWatchEvent } from "./watch-event-cache.ts";
import type { WatchFormat } from "./watch-format.ts";
import type { WatchStreamWriter } from "./watch-stream.ts";

/** Translates commits of the store into the events of one watch. */
export interface EventTranslator {
  /** Writes ADDED events for the objects that exist when the watch starts. */
  translateInitial(entries: readonly StoreEntry[]): Promise<void>;
  /** Never throws: an object that cannot be converted ends this watch, not the request that wrote it. */
  translateCommit(event: StoreEvent): void;
  writeBookmark(initialEnd: boolean): void;
}

export interface EventTranslatorOptions {
  readonly server: Pick<ServerDependencies, "store" | "storageCodec" | "turnQueue" | "watchEventCache">;
  readonly resource: ServedResource;
  /** Selects objects; absent: all. */
  readonly matches: ((object: JsonObject) => boolean) | undefined;
  readonly watchFormat: WatchFormat;
  readonly writer: Pick<WatchStreamWriter, "event" | "end">;
}

export function createEventTranslator({ server, resource, matches, watchFormat, writer }: EventTranslatorOptions): EventTranslator {
  const { store, storageCodec, turnQueue, watchEventCache } = server;
  // Set while events wait for a conversion webhook: later events wait behind them to keep the order.
  let pending: Promise<void> | undefined;

  const buildEvent = (type: WatchEventType, object: JsonObject) =>
    createWatchEvent(type, watchFormat.transformObject(object), watchFormat.mediaType);
  const isStoredForm = (entry: StoreEntry) => watchFormat.isUntransformed && storageCodec.isStoredForm(resource, entry);

  /** Applies the selector: an object that starts to match is ADDED, one that stops matching is DELETED. */
  const deliver = (event: StoreEvent, object: JsonObject, previous: JsonObject | undefined) => {
    const { entry } = event;
    const is = event.type === "put" && (matches === undefined || matches(object));
    const was = event.previous !== undefined && (matches === undefined || (previous !== undefined && matches(previous)));
    const createEvent = (type: WatchEventType) =>
      isStoredForm(entry) ? createStoredWatchEvent(type, entry, watchFormat.mediaType, object) : buildEvent(type, object);
    if (is) writer.event(watchEventCache.getOrCreate(event, was ? "MODIFIED" : "ADDED", watchFormat.nextCacheKey(), createEvent));
    else if (was && event.type === "delete")
      writer.event(watchEventCache.getOrCreate(event, "DELETED", watchFormat.nextCacheKey(), createEvent));
    else if (was) {
      const last = withMetadata(previous as JsonObject, { resourceVersion: String(event.revision) });
      writer.event(watchEventCache.getOrCreate(event, "DELETED", watchFormat.nextCacheKey(), (type) => buildEvent(type, last)));
    }
  };
  const inOrder = (run: () => void | Promise<void>) => {
    pending = (pending ?? Promise.resolve()).then(run).catch(() => writer.end());
  };
  const take = (event: StoreEvent) => {
    const { entry } = event;
    const known = event.type === "delete" && !storageCodec.isStoredForm(resource, entry);
    // The previous state is decoded only where a selector or a delete needs it.
    const before = matches !== undefined || known ? event.previous : undefined;
    const previous = before && storageCodec.decodeSync(resource, before);
    // A deleted object is its last state with the revision of the delete.
    const object =
      known && previous !== undefined
        ? withMetadata(previous, { resourceVersion: String(event.revision) })
        : storageCodec.decodeSync(resource, entry, event.value);
    const isThere = object !== undefined && (before === undefined || previous !== undefined);
    if (pending === undefined && isThere) return deliver(event, object, previous);
    return inOrder(async () => {
      const was = before && (await storageCodec.decode(resource, before));
      deliver(event, await storageCodec.decode(resource, entry), was);
    });
  };

  return {
    async translateInitial(entries) {
      if (matches === undefined && entries.every(isStoredForm)) {
        for (const entry of entries) writer.event(createStoredWatchEvent("ADDED", entry, watchFormat.mediaType));
        return;
      }
      const turns = turnQueue.begin();
      const slices = new Slices(turns);
      for (const [index, object] of (await storageCodec.decodeAll(resource, entries, turns)).entries()) {
        if (slices.isOver()) await slices.next();
        if (matches?.(object) === false) continue;
        watchFormat.nextCacheKey();
        const entry = entries[index] as StoreEntry;
        writer.event(
          isStoredForm(entry) ? createStoredWatchEvent("ADDED", entry, watchFormat.mediaType, object) : buildEvent("ADDED", object),
        );
      }
    },
    translateCommit(event) {
      try {
        take(event);
      } catch {
        writer.end();
      }
    },
    writeBookmark(initialEnd) {
      const event = createWatchEvent("BOOKMARK", watchFormat.buildBookmark(store.currentRevision(), initialEnd), watchFormat.mediaType);
      if (pending === undefined) writer.event(event);
      else inOrder(() => writer.event(event));
    },
  };
}

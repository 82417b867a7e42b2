import type { JsonObject } from "pintle/kinds";
import type { Entry, StoreEvent } from "../../store/index.ts";
import type { Kernel } from "../call.ts";
import { withMetadata } from "../metadata/metadata.ts";
import type { WatchEventType } from "../request.ts";
import type { ServedResource } from "../resource.ts";
import { storedEvent, watchEvent } from "./shared-events.ts";
import type { Show } from "./show.ts";
import type { StreamWriter } from "./stream.ts";

/** Turns commits into the events of one watch. */
export interface Follower {
  /** What is there when the watch begins. */
  current(entries: readonly Entry[]): Promise<void>;
  /** Never throws: an object that cannot be shown ends this watch, not the request that wrote it. */
  commit(event: StoreEvent): void;
  bookmark(initialEnd: boolean): void;
}

export interface FollowerOptions {
  readonly kernel: Pick<Kernel, "store" | "views" | "events">;
  readonly resource: ServedResource;
  /** Which objects are meant; absent: all. */
  readonly matches: ((object: JsonObject) => boolean) | undefined;
  readonly shown: Show;
  readonly writer: Pick<StreamWriter, "event" | "end">;
}

export function follower({ kernel, resource, matches, shown, writer }: FollowerOptions): Follower {
  const { store, views, events } = kernel;
  // Versions that need a webhook to be shown keep their order by waiting for one another.
  let waiting: Promise<void> | undefined;

  const made = (type: WatchEventType, object: JsonObject) => watchEvent(type, shown.object(object), shown.mediaType);
  const isPlain = (entry: Entry) => shown.plain && views.isAsStored(resource, entry);

  /** Through the selector: what enters it is added, what leaves it is deleted. */
  const deliver = (event: StoreEvent, object: JsonObject, previous: JsonObject | undefined) => {
    const { entry } = event;
    const is = event.type === "put" && (matches === undefined || matches(object));
    const was = event.previous !== undefined && (matches === undefined || (previous !== undefined && matches(previous)));
    const same = (type: WatchEventType) => (isPlain(entry) ? storedEvent(type, entry, shown.mediaType, object) : made(type, object));
    if (is) writer.event(events.of(event, was ? "MODIFIED" : "ADDED", shown.key(), same));
    else if (was && event.type === "delete") writer.event(events.of(event, "DELETED", shown.key(), same));
    else if (was) {
      const last = withMetadata(previous as JsonObject, { resourceVersion: String(event.revision) });
      writer.event(events.of(event, "DELETED", shown.key(), (type) => made(type, last)));
    }
  };
  const inOrder = (run: () => void | Promise<void>) => {
    waiting = (waiting ?? Promise.resolve()).then(run).catch(() => writer.end());
  };
  const take = (event: StoreEvent) => {
    const { entry } = event;
    const known = event.type === "delete" && !views.isAsStored(resource, entry);
    // What there was before is looked at only where it makes a difference.
    const before = matches !== undefined || known ? event.previous : undefined;
    const previous = before && views.now(resource, before);
    // What goes is the last there was, at another revision.
    const object =
      known && previous !== undefined
        ? withMetadata(previous, { resourceVersion: String(event.revision) })
        : views.now(resource, entry, event.value);
    const isThere = object !== undefined && (before === undefined || previous !== undefined);
    if (waiting === undefined && isThere) return deliver(event, object, previous);
    return inOrder(async () => {
      const was = before && (await views.of(resource, before));
      deliver(event, await views.of(resource, entry), was);
    });
  };

  return {
    async current(entries) {
      if (matches === undefined && entries.every(isPlain)) {
        for (const entry of entries) writer.event(storedEvent("ADDED", entry, shown.mediaType));
        return;
      }
      for (const [index, object] of (await views.all(resource, entries)).entries()) {
        if (matches?.(object) === false) continue;
        shown.key();
        const entry = entries[index] as Entry;
        writer.event(isPlain(entry) ? storedEvent("ADDED", entry, shown.mediaType, object) : made("ADDED", object));
      }
    },
    commit(event) {
      try {
        take(event);
      } catch {
        writer.end();
      }
    },
    bookmark(initialEnd) {
      const event = watchEvent("BOOKMARK", shown.bookmark(store.currentRevision(), initialEnd), shown.mediaType);
      if (waiting === undefined) writer.event(event);
      else inOrder(() => writer.event(event));
    },
  };
}

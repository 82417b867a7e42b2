import type { JsonObject } from "pintle/kinds";
import type { StoreEvent } from "../../store/index.ts";
import type { Kernel } from "../call.ts";
import { withMetadata } from "../metadata/metadata.ts";
import type { WatchEventType } from "../request.ts";
import type { ServedResource } from "../resource.ts";
import { watchEvent } from "./shared-events.ts";
import type { Show } from "./show.ts";
import type { StreamWriter } from "./stream.ts";

/** Turns commits into the events of one watch. */
export interface Follower {
  /** What is there when the watch begins. */
  current(objects: readonly JsonObject[]): void;
  /** Never throws: an object that cannot be shown ends this watch, not the request that wrote it. */
  commit(event: StoreEvent): void;
  bookmark(initialEnd: boolean): void;
}

export interface FollowerOptions {
  readonly kernel: Pick<Kernel, "store" | "views" | "events">;
  readonly resource: ServedResource;
  matches(object: JsonObject): boolean;
  readonly shown: Show;
  readonly writer: Pick<StreamWriter, "event" | "end">;
}

export function follower({ kernel, resource, matches, shown, writer }: FollowerOptions): Follower {
  const { store, views, events } = kernel;
  // Versions that need a webhook to be shown keep their order by waiting for one another.
  let waiting: Promise<void> | undefined;

  const made = (type: WatchEventType, object: JsonObject) => watchEvent(type, object, shown.mediaType);

  /** Through the selector: what enters it is added, what leaves it is deleted. */
  const deliver = (event: StoreEvent, object: JsonObject, previous: JsonObject | undefined) => {
    const is = event.type === "put" && matches(object);
    const was = previous !== undefined && matches(previous);
    if (is) {
      writer.event(events.of(event, was ? "MODIFIED" : "ADDED", shown.key(), (type) => made(type, shown.object(object))));
    } else if (was) {
      const last = event.type === "delete" ? object : withMetadata(previous, { resourceVersion: String(event.revision) });
      writer.event(events.of(event, "DELETED", shown.key(), (type) => made(type, shown.object(last))));
    }
  };
  const inOrder = (run: () => void | Promise<void>) => {
    waiting = (waiting ?? Promise.resolve()).then(run).catch(() => writer.end());
  };
  const take = (event: StoreEvent) => {
    const previous = event.previous && views.now(resource, event.previous.value);
    // What goes is the last there was, at another revision.
    const object =
      event.type === "delete" && previous !== undefined
        ? withMetadata(previous, { resourceVersion: String(event.revision) })
        : views.now(resource, event.value);
    const known = object !== undefined && (event.previous === undefined || previous !== undefined);
    if (waiting === undefined && known) return deliver(event, object, previous);
    return inOrder(async () => {
      const before = event.previous && (await views.of(resource, event.previous.value));
      deliver(event, await views.of(resource, event.value), before);
    });
  };

  return {
    current(objects) {
      for (const object of objects) {
        if (!matches(object)) continue;
        shown.key();
        writer.event(made("ADDED", shown.object(object)));
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
      const event = made("BOOKMARK", shown.bookmark(store.currentRevision(), initialEnd));
      if (waiting === undefined) writer.event(event);
      else inOrder(() => writer.event(event));
    },
  };
}

import type { JsonObject } from "pintle/kinds";
import { ApiError, badRequest } from "../../status/index.ts";
import { Compacted, type StoreEvent } from "../../store/index.ts";
import type { Call } from "../call.ts";
import { withMetadata } from "../metadata/metadata.ts";
import { type ListOptions, listOptions, selection, unreadable } from "../options/list-options.ts";
import type { WatchStream } from "../request.ts";
import { prefixOf } from "../stored.ts";
import { bookmarks } from "../watch/bookmarks.ts";
import { watchEvent } from "../watch/shared-events.ts";
import { show } from "../watch/show.ts";
import { watchStream } from "../watch/stream.ts";
import { notOlderThan } from "./revision.ts";

const SHORTEST_DEFAULT = 30 * 60;

/** Opens a watch. What goes wrong from here on comes as an ERROR event. */
export async function watch(call: Call): Promise<WatchStream> {
  const { kernel, resource, info, request } = call;
  const { store, clock, views } = kernel;
  const options = listOptions(request.query, true);
  const matches = selection(narrowed(call, options), resource) ?? everything;
  const from = startOf(call, options);
  const shown = show(call.view, () => clock.now());
  const prefix = prefixOf(resource, info.namespace);
  if (from.initial) await notOlderThan(kernel, from.revision, request.signal);

  const cleanup: (() => void)[] = [];
  const writer = watchStream(() => {
    for (const undo of cleanup) undo();
  });

  /** An event seen through the selector: what enters it is added, what leaves it is deleted. */
  const deliver = (event: StoreEvent, object: JsonObject, previous: JsonObject | undefined) => {
    const is = event.type === "put" && matches(object);
    const was = previous !== undefined && matches(previous);
    if (is) {
      writer.event(kernel.events.of(event, was ? "MODIFIED" : "ADDED", shown.key(), () => shown.object(object)));
    } else if (was) {
      const last = event.type === "delete" ? object : withMetadata(previous, { resourceVersion: String(event.revision) });
      writer.event(kernel.events.of(event, "DELETED", shown.key(), () => shown.object(last)));
    }
  };
  // Versions that need a webhook to be shown keep their order by waiting for one another.
  let queue: Promise<void> | undefined;
  const inOrder = (run: () => void | Promise<void>) => {
    if (queue === undefined) void run();
    else queue = queue.then(run).catch(() => writer.end());
  };
  const receive = (event: StoreEvent) => {
    try {
      take(event);
    } catch {
      // One object that cannot be shown ends this watch, not the writer's request.
      writer.end();
    }
  };
  const take = (event: StoreEvent) => {
    const object = views.now(resource, event.value);
    const previous = event.previous === undefined ? undefined : views.now(resource, event.previous.value);
    if (queue === undefined && object !== undefined && (event.previous === undefined || previous !== undefined)) {
      return deliver(event, object, previous);
    }
    queue ??= Promise.resolve();
    inOrder(async () => {
      const before = event.previous === undefined ? undefined : await views.of(resource, event.previous.value);
      deliver(event, await views.of(resource, event.value), before);
    });
  };
  const sendBookmark = (initialEnd: boolean) => {
    const revision = store.currentRevision();
    inOrder(() => writer.event(watchEvent("BOOKMARK", shown.bookmark(revision, initialEnd))));
  };

  let after = from.revision;
  if (from.initial) {
    const { entries, revision } = await store.range(prefix);
    const objects = await views.all(
      resource,
      entries.map((entry) => entry.value),
    );
    for (const object of objects) {
      if (!matches(object)) continue;
      shown.key();
      writer.event(watchEvent("ADDED", shown.object(object)));
    }
    after = revision;
  }
  try {
    cleanup.push(await store.watch(prefix, after, receive));
  } catch (error) {
    if (!(error instanceof Compacted)) throw error;
    writer.event(watchEvent("ERROR", tooOld(error).status as unknown as JsonObject));
    writer.end();
    return writer.stream;
  }
  if (from.initial && options.allowBookmarks) sendBookmark(true);

  const seconds = options.timeoutSeconds || SHORTEST_DEFAULT * (1 + kernel.random());
  const timer = clock.setTimeout(() => writer.end(), seconds * 1000);
  cleanup.push(() => clock.clearTimeout(timer));
  if (options.allowBookmarks) cleanup.push(bookmarks(clock, clock.now() + seconds * 1000, () => sendBookmark(false)));
  // A CRD that changed or went: its clients look again.
  cleanup.push(
    kernel.registry.onChange(() => {
      if (kernel.registry.find(resource.group, resource.version, resource.plural)?.schema !== resource.schema) writer.end();
    }),
  );
  return writer.stream;
}

const everything = () => true;

/** A name in the path selects like a field. */
function narrowed({ info }: Call, options: ListOptions): ListOptions {
  if (info.name === "") return options;
  const named = options.fields.find((term) => term.field === "metadata.name" && term.equal);
  if (options.fields.length > 0 && named?.value !== info.name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  return named === undefined ? { ...options, fields: [{ field: "metadata.name", equal: true, value: info.name }] } : options;
}

/** Whether the current state comes first, and from which revision on (with it: at least which) events follow. */
function startOf({ kernel }: Call, { resourceVersion, sendInitialEvents }: ListOptions) {
  if (!/^\d*$/.test(resourceVersion)) throw new ApiError(500, "", unreadable(resourceVersion));
  const revision = Number(resourceVersion);
  if (sendInitialEvents ?? revision === 0) return { initial: true, revision };
  return { initial: false, revision: revision === 0 ? kernel.store.currentRevision() : revision };
}

function tooOld({ requested, oldest }: Compacted): ApiError {
  return new ApiError(410, "Expired", `too old resource version: ${requested} (${oldest})`);
}

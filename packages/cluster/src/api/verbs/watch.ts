import type { JsonObject } from "pintle/kinds";
import { ApiError, badRequest } from "../../status/index.ts";
import { Compacted } from "../../store/index.ts";
import type { Call } from "../call.ts";
import { type ListOptions, listOptions, selection, unreadable } from "../options/list-options.ts";
import type { WatchStream } from "../request.ts";
import { prefixOf } from "../stored.ts";
import { bookmarks } from "../watch/bookmarks.ts";
import { type Follower, follower } from "../watch/follower.ts";
import { watchEvent } from "../watch/shared-events.ts";
import type { Target } from "../watch/shared-follower.ts";
import { show } from "../watch/show.ts";
import { type StreamWriter, watchStream } from "../watch/stream.ts";
import { notOlderThan } from "./revision.ts";

const SHORTEST_DEFAULT = 30 * 60;

/** Opens a watch. What goes wrong from here on comes as an ERROR event. */
export async function watch(call: Call): Promise<WatchStream> {
  const { kernel, resource, info, request } = call;
  const { store, clock } = kernel;
  const options = listOptions(request.query, true);
  const wanted = narrowed(call, options);
  const matches = selection(wanted, resource)?.matches;
  const from = startOf(call, options);
  if (from.initial) await notOlderThan(kernel, from.revision, request);

  const cleanup: (() => void)[] = [];
  const writer = watchStream(() => {
    for (const undo of cleanup) undo();
  });
  const follow = follower({ kernel, resource, matches, shown: show(call.view, () => clock.now()), writer });
  const prefix = prefixOf(resource, info.namespace);
  let after = from.revision;
  if (from.initial) {
    const { entries, revision } = await store.range(prefix);
    await follow.current(entries);
    after = revision;
  }
  try {
    cleanup.push(await followed(call, prefix, after, { options: wanted, writer, own: follow }));
  } catch (error) {
    if (!(error instanceof Compacted)) throw error;
    writer.event(watchEvent("ERROR", tooOld(error).status as unknown as JsonObject, call.view.presentation.mediaType));
    writer.end();
    return writer.stream;
  }
  if (from.initial && options.allowBookmarks) follow.bookmark(true);

  const seconds = options.timeoutSeconds || SHORTEST_DEFAULT * (1 + kernel.jitter());
  const { liveness = clock } = request;
  const timer = liveness.setTimeout(writer.end, seconds * 1000);
  cleanup.push(() => liveness.clearTimeout(timer));
  if (options.allowBookmarks) cleanup.push(bookmarks(liveness, liveness.now() + seconds * 1000, () => follow.bookmark(false)));
  cleanup.push(whenRedefined(call, writer.end));
  const signal = request.signal();
  signal.addEventListener("abort", writer.end);
  cleanup.push(() => signal.removeEventListener("abort", writer.end));
  if (signal.aborted) writer.end();
  return writer.stream;
}

interface Following {
  readonly options: ListOptions;
  readonly writer: StreamWriter;
  readonly own: Follower;
}

/** Commits after a revision go to the writer, from a follower of its own or, where that does, from one that others use too. */
async function followed({ kernel, resource, view }: Call, prefix: string, after: number, { options, writer, own }: Following) {
  const { store, clock, followers } = kernel;
  const { labels, fields } = options;
  const shown = show(view, () => clock.now());
  // Tables tell everyone their columns first, and what has to be converted comes when it comes.
  const alike = labels.length === 0 && fields.length === 0 && view.presentation.as?.kind !== "Table";
  if (!alike || resource.storage.conversion !== undefined || after > store.currentRevision()) {
    return store.watch(prefix, after, own.commit);
  }
  let target: Target = writer;
  const relay: Target = { event: (event) => target.event(event), end: () => target.end() };
  const { commit } = follower({ kernel, resource, matches: undefined, shown, writer: relay });
  const stop = await store.watch(prefix, after, commit);
  const turn = (to: Target) => {
    target = to;
  };
  return followers.join(resource, `${prefix} ${shown.key()}`, writer, { turn, stop });
}

/** A CRD that changed or went: its clients look again. */
function whenRedefined({ kernel, resource }: Call, end: () => void): () => void {
  const { registry } = kernel;
  return registry.onChange(() => {
    if (registry.find(resource.group, resource.version, resource.plural)?.schema !== resource.schema) end();
  });
}

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

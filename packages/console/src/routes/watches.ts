import type { Watches, WatchState } from "../protocol.ts";
import { listQueues } from "./queues.ts";
import { lastSequence, type RouteContext } from "./route-context.ts";

const MAX_HISTORY = 50;

export const getWatches = (context: RouteContext): Watches => ({ watches: listWatches(context), queues: listQueues(context) });

/** The watches of the operator: exact in its own process, otherwise from facts. */
export function listWatches(context: RouteContext): readonly WatchState[] {
  const { view, at } = context;
  const exact = at === undefined ? view.source.watches?.() : undefined;
  if (exact !== undefined) return exact;
  const limit = lastSequence(context);
  const states = new Map<string, { -readonly [K in keyof WatchState]: WatchState[K] }>();
  for (const { sequence, time, kind, namespace, event, objects, message, controllers = [] } of view.index.watches) {
    if (sequence > limit) break;
    const id = `${kind} ${namespace}`;
    const known = states.get(id) ?? { kind, namespace, state: "unknown", relists: -1, controllers: [], history: [] };
    states.set(id, known);
    known.state = event === "failed" ? "failed" : "synced";
    if (event === "listed") {
      known.relists++;
      known.listed = time;
      known.objects = objects;
    }
    if (event === "failed") {
      known.problem = message;
      known.problemTime = time;
    }
    known.controllers = [...new Set([...known.controllers, ...controllers])];
    const text = message ?? (objects === undefined ? event : `${event}, ${objects} objects`);
    known.history = [...known.history, { time, event, text }].slice(-MAX_HISTORY);
  }
  return [...states.values()].map((state) => ({ ...state, relists: Math.max(0, state.relists) }));
}

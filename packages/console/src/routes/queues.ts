import type { RunFact } from "pintle";
import type { QueueKey, QueueState } from "../protocol.ts";
import { retryTime } from "./describe-run.ts";
import { lastSequence, type RouteContext } from "./route-context.ts";

/**
 * The queues of the operator's controllers. A source in the same process knows them exactly; otherwise facts say: a key that was enqueued after its last run
 * is ready, and one whose last run asked for another is delayed until then.
 */
export function listQueues(context: RouteContext): readonly QueueState[] {
  const { view, at } = context;
  const { index, source } = view;
  const exact = at === undefined ? source.queues?.() : undefined;
  if (exact !== undefined) return exact;
  const limit = lastSequence(context);
  const now = at === undefined ? source.now() : (source.timeOf(at) ?? source.now());
  const states = new Map<string, { last?: RunFact; enqueued?: number; failures: number; controller: string; key: string }>();
  const stateOf = (controller: string, key: string) => {
    const id = `${controller} ${key}`;
    const known = states.get(id);
    if (known !== undefined) return known;
    const created: { last?: RunFact; enqueued?: number; failures: number; controller: string; key: string } = {
      failures: 0,
      controller,
      key,
    };
    states.set(id, created);
    return created;
  };
  for (const fact of index.facts) {
    if (fact.sequence > limit) break;
    if (fact.type === "enqueue") stateOf(fact.controller, fact.key).enqueued ??= fact.time;
    if (fact.type === "run" && index.ownControllers.has(fact.controller)) {
      const state = stateOf(fact.controller, fact.key);
      const started = fact.time - fact.duration;
      state.last = fact;
      state.failures = fact.result === "error" ? state.failures + 1 : 0;
      if (state.enqueued !== undefined && state.enqueued <= started) delete state.enqueued;
    }
  }
  const queues = new Map<string, { running: QueueKey[]; ready: QueueKey[]; delayed: QueueKey[] }>();
  for (const controller of index.ownControllers.keys()) queues.set(controller, { running: [], ready: [], delayed: [] });
  for (const { controller, key, last, enqueued, failures } of states.values()) {
    const queue = queues.get(controller);
    if (queue === undefined) continue;
    const base = { controller, key, object: index.pathOfRun(controller, key), failures, error: last?.error };
    const due = last === undefined ? undefined : retryTime(index, last);
    if (last?.result === "running" && at === undefined) queue.running.push({ ...base, state: "running", since: last.time, run: last.id });
    else if (enqueued !== undefined) queue.ready.push({ ...base, state: "ready", since: enqueued });
    else if (due !== undefined && due > now)
      queue.delayed.push({ ...base, state: failures > 0 ? "backing off" : "delayed", since: last?.time, due, run: last?.id });
  }
  return [...queues].map(([controller, queue]) => ({
    controller,
    ...queue,
    delayed: queue.delayed.sort((a, b) => (a.due ?? 0) - (b.due ?? 0)),
  }));
}

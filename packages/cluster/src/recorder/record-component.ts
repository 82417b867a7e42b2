import type { Cache, CachedView } from "pintle/internal/cache";
import type { Clock } from "pintle/internal/clock";
import { createWorkQueue, type WorkItem, type WorkOutcome, type WorkQueue, type WorkQueueOptions } from "pintle/internal/queue";
import { causeOfChange, createRunRecorder } from "pintle/internal/recorder";
import type { KindInfo } from "pintle/kinds";
import type { ControllerContext } from "../controllers/index.ts";
import type { CauseScopes } from "./cause-scopes.ts";

/** Starts a component with a context that records its runs and what caused them. */
export function recordComponent<T>(
  name: string,
  context: ControllerContext,
  scopes: CauseScopes,
  start: (context: ControllerContext) => T,
): T {
  const recorded: ControllerContext = {
    ...context,
    cache: recordCache(name, context.cache, scopes),
    clock: recordTimers(name, context.clock, scopes),
    createWorkQueue: (options) => createRecordedQueue(name, context.clock, options, scopes),
    flightRecorder: Object.create(scopes.recorder, {
      enter: { value: (run: never, work: () => unknown) => scopes.enterRun(name, run, work) },
    }),
  };
  return scopes.enterCause(name, { event: "start", source: name }, () => start(recorded));
}

/** Event handlers run in the scope of their event. */
function recordCache(name: string, cache: Cache, scopes: CauseScopes): Cache {
  const recordView = (kind: KindInfo, view: CachedView<any>): CachedView<any> => {
    const addEventHandler: CachedView<any>["addEventHandler"] = (handler) =>
      view.addEventHandler((change) => scopes.enterCause(name, causeOfChange(change, kind.kind), () => handler(change)));
    return Object.create(view, { addEventHandler: { value: addEventHandler } });
  };
  const watch = (kind: KindInfo, ...rest: any[]) => recordView(kind, (cache.watch as any)(kind, ...rest));
  return Object.create(cache, { watch: { value: watch } });
}

/** The callback of a timer runs in the scope of what set it. */
function recordTimers(name: string, clock: Clock, scopes: CauseScopes): Clock {
  const setTimeout: Clock["setTimeout"] = (run, ms) => {
    const cause = scopes.currentCause(name);
    const isTimer = cause.object === undefined;
    return clock.setTimeout(() => scopes.enterCause(name, isTimer ? { ...cause, event: "timer" } : cause, run), ms);
  };
  return Object.create(clock, { setTimeout: { value: setTimeout } });
}

function createRecordedQueue(name: string, clock: Clock, options: WorkQueueOptions, scopes: CauseScopes): WorkQueue {
  const runs = createRunRecorder(scopes.recorder, { controller: name, now: () => clock.monotonic(), recordsEnqueues: false });
  const work = async (item: WorkItem, signal: AbortSignal): Promise<WorkOutcome> => {
    const run = runs.begin(item.key, item.waitedMs);
    const started = clock.monotonic();
    const end = (outcome: WorkOutcome) => {
      const result = RESULTS[outcome.type];
      const error = "error" in outcome ? String(outcome.error) : undefined;
      run.end({
        result,
        duration: clock.monotonic() - started,
        error,
        requeueAfter: outcome.type === "requeue" ? outcome.after : undefined,
      });
    };
    try {
      const outcome = (await scopes.enterRun(name, run, async () => options.work(item, signal))) ?? { type: "done" };
      end(outcome);
      return outcome;
    } catch (error) {
      end({ type: "failed", error });
      throw error;
    }
  };
  const queue = createWorkQueue({ ...options, work });
  const add: WorkQueue["add"] = (key, enqueueOptions) => {
    runs.enqueue(key, scopes.currentCause(name));
    queue.add(key, enqueueOptions);
  };
  return Object.create(queue, { add: { value: add } });
}

const RESULTS = { done: "success", requeue: "requeue_after", failed: "error", terminal: "terminal" } as const;

import { createWriteThroughClient } from "../cache/index.ts";
import { createAbortController } from "../clock/index.ts";
import { runInBackground } from "../errors/index.ts";
import { createWorkQueue, type EnqueueReason, LOW_PRIORITY, type WorkQueue } from "../queue/index.ts";
import { deleteOrphans } from "./apply/cross-namespace-children.ts";
import type { Controller } from "./declare/controller.ts";
import type { ControllerDeps } from "./deps.ts";
import { type NamespacedName, toKey } from "./names.ts";
import type { SettledSnapshot } from "./plan/decide.ts";
import { createEventEnqueuer } from "./sources/enqueue-events.ts";
import { openEventSources } from "./sources/event-sources.ts";
import { followSource, runPeriodically } from "./sources/external-source.ts";
import { createBoundClient } from "./worker/bound-client.ts";
import { createDaemons } from "./worker/daemons.ts";
import { createOwnWriteFilter } from "./worker/own-write-filter.ts";
import { createWorker } from "./worker/worker.ts";

/** A controller whose event sources are open. */
export interface RunningController {
  readonly controller: Controller;
  readonly queue: WorkQueue;
  /** Number of events whose mapping threw and that wait for a retry. */
  readonly pendingMappings: number;
  /** Describes each watch that has not completed its first list. */
  describeUnsynced(): readonly string[];
  /** Resolves when all event sources have completed their first list. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** Starts the workers. Before that, keys are only enqueued. */
  startWorkers(): void;
  /** Waits for running reconciliations and starts no others until `startWorkers`. Aborts them after `grace` milliseconds. */
  pauseWorkers(grace?: number): Promise<void>;
  /** Like `pauseWorkers`, and closes the event sources. Resolves with the keys that ran on past the grace period. */
  stop(grace?: number): Promise<readonly string[]>;
}

/**
 * Opens the event sources of a controller and connects them to a work queue: event -> predicate -> key mapper -> own-write filter -> queue ->
 * worker. Events enqueue keys at once; `startWorkers` starts the work on them.
 */
export function startController(controller: Controller, deps: ControllerDeps): RunningController {
  const { clock, observer } = deps;
  const logger = deps.logger.with({ controller: controller.name });
  const concurrency = controller.concurrency ?? deps.concurrency;
  const stopped = createAbortController();
  const sources = openEventSources(controller, deps);
  const workQueue = createWorkQueue({
    clock,
    concurrency,
    observer: observer.createQueueObserver?.(controller.name),
    work: (item, signal) => processItem(item, signal),
  });
  const settledSnapshots = new Map<string, SettledSnapshot>();
  const ownWriteFilter = createOwnWriteFilter(workQueue);
  const enqueueExternal = (name: NamespacedName, source: string) => workQueue.add(toKey(name), { reason: { event: "external", source } });
  const daemons = createDaemons({
    controller,
    deps,
    primary: sources.primary,
    enqueue: (key, source) => workQueue.add(key, { reason: { event: "external", source } }),
  });
  const processItem = createWorker({
    controller,
    deps,
    sources,
    settledSnapshots,
    ownWriteFilter,
    daemons,
    isStopping: () => !workQueue.isWorking,
  });
  const enqueuer = createEventEnqueuer(controller, deps, ownWriteFilter);
  for (const handler of sources.handlers) enqueuer.addHandler(handler);
  const enqueueAll = (reason: EnqueueReason) => {
    if (sources.primary.isSynced)
      for (const { metadata } of sources.primary.list()) workQueue.add(toKey(metadata), { priority: LOW_PRIORITY, reason });
  };

  for (const { kind, view } of sources.owned.values()) {
    // Children can wait for their kind to be installed.
    if (kind.optional === true) view.onListed(() => enqueueAll({ event: "external", source: `${kind.kind} is served` }));
    view.addEventHandler(({ old, new: now }) => {
      if (now === undefined && old !== undefined) settledSnapshots.delete(old.metadata.uid);
    });
  }
  const hasDaemons = Object.keys(controller.daemons).length > 0;
  if (hasDaemons)
    sources.primary.addEventHandler(({ old, new: now }) => {
      // Deleted without finalization: the finalizer was removed by another client.
      if (now === undefined && old !== undefined)
        runInBackground(daemons.stopFor(old.metadata.uid), (error) => logger.error("Failed to stop daemons", { error }));
    });

  const background = new Set<Promise<void>>();
  const trackTask = (failureMessage: string, work: Promise<unknown>) => {
    const handled = work.then(
      () => {},
      (error) => {
        if (!stopped.signal.aborted) logger.error(failureMessage, { error });
      },
    );
    background.add(handled);
    runInBackground(handled.finally(() => background.delete(handled)));
  };
  for (const [name, source] of Object.entries(controller.sources)) {
    const onError = (error: unknown) => logger.error("Event source failed, restarting with backoff", { source: name, error });
    const sourceDeps = { clock, random: deps.random, signal: stopped.signal, onError };
    trackTask(
      "Event source ended",
      followSource(source, sourceDeps, (at) => enqueueExternal(at, name)),
    );
  }
  if (controller.resync !== undefined)
    trackTask(
      "Resync ended",
      runPeriodically(clock, controller.resync, stopped.signal, () => enqueueAll({ event: "resync" })),
    );
  const deleteOrphanedChildren = async () => {
    if (![...sources.owned.values()].some(({ isCrossNamespace }) => isCrossNamespace)) return;
    const client = createWriteThroughClient(deps.client, deps.cache);
    const binding = { signal: stopped.signal, fieldManager: controller.name, writeGate: deps.writeGate };
    const deleted = await deleteOrphans(controller, sources, createBoundClient(client, binding));
    if (deleted > 0) logger.info("Deleted orphaned children", { deleted });
  };
  let hasStarted = false;

  return {
    controller,
    queue: workQueue,
    get pendingMappings() {
      return enqueuer.pendingMappings;
    },
    describeUnsynced: () =>
      sources.views.flatMap(({ kind, view }) =>
        view
          .health()
          .filter(({ isSynced }) => !isSynced)
          .map(({ problem }) => problem?.message ?? `${kind.kind}: no response yet`),
      ),
    async waitForSync(signal) {
      await Promise.all(sources.views.map(({ view }) => view.waitForSync(signal)));
    },
    startWorkers() {
      logger.info("Starting workers", { workers: concurrency });
      enqueuer.start();
      workQueue.start();
      // Leading again: the daemons stopped when the lease was lost.
      if (hasStarted && hasDaemons) enqueueAll({ event: "resync" });
      hasStarted = true;
      trackTask("Failed to delete orphaned children", deleteOrphanedChildren());
    },
    async pauseWorkers(grace) {
      await Promise.all([workQueue.pause(grace), daemons.stopAll()]);
    },
    async stop(grace) {
      stopped.abort(new Error("the controller has been stopped"));
      await enqueuer.stop();
      const unfinished = await workQueue.stop(grace);
      await daemons.stopAll();
      await Promise.all([...background, ...sources.views.map(({ view }) => view.close())]);
      return unfinished;
    },
  };
}

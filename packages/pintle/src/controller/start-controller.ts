import { createWriteThroughClient, type StoredObject } from "../cache/index.ts";
import { createAbortController } from "../clock/index.ts";
import { runInBackground } from "../errors/index.ts";
import { createWorkQueue, type EnqueueReason, LOW_PRIORITY, type WorkQueue } from "../queue/index.ts";
import { createRunRecorder, type RunRecorder } from "../recorder/index.ts";
import { deleteOrphans } from "./apply/cross-namespace-children.ts";
import type { Controller } from "./declare/controller.ts";
import type { ControllerDeps } from "./deps.ts";
import type { Logger } from "./logger.ts";
import { formatObject, type NamespacedName, parseKey, toKey } from "./names.ts";
import type { SettledSnapshot } from "./plan/decide.ts";
import { createEventEnqueuer } from "./sources/enqueue-events.ts";
import { type EventSources, openEventSources } from "./sources/event-sources.ts";
import { followSource, runPeriodically } from "./sources/external-source.ts";
import { createOwnersInDoubt } from "./sources/owners-in-doubt.ts";
import { createBoundClient } from "./worker/bound-client.ts";
import { createConflictReporters } from "./worker/conflict-reporters.ts";
import { createDaemons } from "./worker/daemons.ts";
import { createFieldConflicts } from "./worker/field-conflicts.ts";
import { createOwnWriteFilter } from "./worker/own-write-filter.ts";
import { createPassGate } from "./worker/pass-gate.ts";
import { createRecentDeletes } from "./worker/recent-deletes.ts";
import { recordLog } from "./worker/record-log.ts";
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
  const logger = recordLog(deps.logger.with({ controller: controller.name }), deps.flightRecorder);
  const concurrency = controller.concurrency ?? deps.concurrency;
  const stopped = createAbortController();
  const sources = openEventSources(controller, deps);
  const workQueue = createWorkQueue({
    clock,
    concurrency,
    observer: observer.createQueueObserver?.(controller.name),
    onBackoff: (key, delayMs) => runs?.backOff(key, delayMs),
    work: (item, signal) => processItem(item, signal),
  });
  const settledSnapshots = new Map<string, SettledSnapshot>();
  const fieldConflicts = createFieldConflicts(clock);
  const ownersInDoubt = createOwnersInDoubt();
  const { flightRecorder, recordsEnqueues } = deps;
  const runs =
    flightRecorder && createRunRecorder(flightRecorder, { controller: controller.name, now: () => clock.monotonic(), recordsEnqueues });
  /** Whether keys that are enqueued now run here. Only asked while no workers run. */
  const isLeading = () => {
    if (workQueue.isWorking) return true;
    try {
      deps.writeGate();
      return true;
    } catch {
      return false;
    }
  };
  const ownWriteFilter = createOwnWriteFilter(workQueue, runs, isLeading);
  const enqueue = (key: string, reason: EnqueueReason, priority?: number) => {
    runs?.enqueue(key, { event: reason.event, source: reason.source }, runs === undefined || isLeading());
    workQueue.add(key, { reason, priority });
  };
  const enqueueExternal = (name: NamespacedName, source: string) => enqueue(toKey(name), { event: "external", source });
  const daemons = createDaemons({
    controller,
    deps,
    primary: sources.primary,
    enqueue: (key, source) => enqueue(key, { event: "external", source }),
    runs,
  });
  const processItem = createWorker({
    controller,
    deps,
    sources,
    settledSnapshots,
    ownersInDoubt,
    ownWriteFilter,
    daemons,
    runs,
    isStopping: () => stopped.signal.aborted || !workQueue.isWorking,
    passGate: deps.passGate ?? createPassGate(clock),
    fieldConflicts,
    conflictReporter: (deps.conflictReporters ?? createConflictReporters()).of(controller.kind.id, controller.name, (key) =>
      enqueue(key, { event: "external", source: "the conflict of another controller" }),
    ),
    recentDeletes: deps.recentDeletes ?? createRecentDeletes(),
  });
  const enqueuer = createEventEnqueuer(controller, { ...deps, logger: recordLog(deps.logger, deps.flightRecorder) }, ownWriteFilter, runs);
  for (const handler of sources.handlers) enqueuer.addHandler(handler);
  const enqueueAll = (reason: EnqueueReason) => {
    if (sources.primary.isSynced) for (const { metadata } of sources.primary.list()) enqueue(toKey(metadata), reason, LOW_PRIORITY);
  };

  for (const { kind, view, mapToOwners } of sources.owned.values()) {
    // Children can wait for their kind to be installed.
    if (kind.optional === true) view.onListed(() => enqueueAll({ event: "external", source: `${kind.kind} is served` }));
    view.addEventHandler(({ old, new: now }) => {
      if (now !== undefined || old === undefined) return;
      settledSnapshots.delete(old.metadata.uid);
      ownersInDoubt.recordDeletedChild(old);
      const { uid } = old.metadata;
      for (const key of mapToOwners(old)) {
        const owner: StoredObject | undefined = sources.primary.get(parseKey(key));
        // The garbage collector deletes the children of a deleted owner.
        if (owner !== undefined && owner.metadata.deletionTimestamp === undefined)
          fieldConflicts.recordDeletion(key, formatObject(kind, old.metadata), uid);
      }
    });
  }
  sources.primary.addEventHandler(({ old, new: now }) => {
    if (now === undefined && old !== undefined) ownersInDoubt.settle(old.metadata.uid);
  });
  const hasDaemons = Object.keys(controller.daemons).length > 0;
  if (hasDaemons)
    sources.primary.addEventHandler(({ old, new: now }) => {
      // Deleted without finalization: the finalizer was removed by another client.
      if (now === undefined && old !== undefined)
        runInBackground(daemons.stopFor(old.metadata.uid), (error) => logger.error("Failed to stop daemons", { error }));
    });

  const tasks = createBackgroundTasks(logger, stopped.signal);
  for (const [name, source] of Object.entries(controller.sources)) {
    const onError = (error: unknown) => logger.error("Event source failed, restarting with backoff", { source: name, error });
    const sourceDeps = { clock, random: deps.random, signal: stopped.signal, onError };
    tasks.run(
      "Event source ended",
      followSource(source, sourceDeps, (at) => enqueueExternal(at, name)),
    );
  }
  if (controller.resync !== undefined)
    tasks.run(
      "Resync ended",
      runPeriodically(clock, controller.resync, stopped.signal, () => enqueueAll({ event: "resync" })),
    );
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
      tasks.run("Failed to delete orphaned children", deleteOrphanedChildren(controller, deps, sources, stopped.signal, runs));
    },
    async pauseWorkers(grace) {
      await Promise.all([workQueue.pause(grace), daemons.stopAll()]);
    },
    async stop(grace) {
      stopped.abort(new Error("the controller has been stopped"));
      await enqueuer.stop();
      const unfinished = await workQueue.stop(grace);
      await daemons.stopAll();
      await Promise.all([tasks.finished(), ...sources.views.map(({ view }) => view.close())]);
      return unfinished;
    },
  };
}

interface BackgroundTasks {
  /** Logs `failureMessage` if the task fails before the controller is stopped. */
  run(failureMessage: string, task: Promise<unknown>): void;
  /** Resolves when the tasks that run now have ended. */
  finished(): Promise<unknown>;
}

function createBackgroundTasks(logger: Logger, stopped: AbortSignal): BackgroundTasks {
  const running = new Set<Promise<void>>();
  return {
    run(failureMessage, task) {
      const handled = task.then(
        () => {},
        (error) => {
          if (!stopped.aborted) logger.error(failureMessage, { error });
        },
      );
      running.add(handled);
      runInBackground(handled.finally(() => running.delete(handled)));
    },
    finished: () => Promise.all(running),
  };
}

/** Deletes cross-namespace children whose owner was deleted while no controller ran. */
async function deleteOrphanedChildren(
  controller: Controller,
  { client, cache, writeGate, logger }: ControllerDeps,
  sources: EventSources,
  signal: AbortSignal,
  runs: RunRecorder | undefined,
): Promise<void> {
  if (![...sources.owned.values()].some(({ isCrossNamespace }) => isCrossNamespace)) return;
  runs?.enqueue("", { event: "start" });
  const binding = { signal, fieldManager: controller.name, writeGate, run: runs?.begin("", 0) };
  const deleted = await deleteOrphans(controller, sources, createBoundClient(createWriteThroughClient(client, cache), binding));
  if (deleted > 0) logger.with({ controller: controller.name }).info("Deleted orphaned children", { deleted });
}

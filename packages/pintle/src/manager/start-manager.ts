import type { WatchHealth } from "../cache/index.ts";
import { ignoreError, runInBackground } from "../errors/index.ts";
import type { QueuedKey } from "../queue/index.ts";
import type { ManagerMetrics } from "./metrics/manager-metrics.ts";
import type { ManagerOptions } from "./options.ts";
import { createManagerParts, startParts, stopParts } from "./start-parts.ts";

/** A running manager. */
export interface Manager {
  /**
   * Resolves when all caches are synced. From then on the workers run, or, with leader election, run in the process that leads. After 10 s, and again each
   * time the duration has doubled, a log line says what it waits for; after `syncTimeout` it rejects with the watches that have not synced.
   */
  readonly ready: Promise<void>;
  /** Resolves when everything has stopped; rejects with the error that stopped the manager. */
  readonly done: Promise<void>;
  /** Waits for running reconciliations, at most the grace period, then stops everything. */
  stop(): Promise<void>;
  /** Returns the health of every watch. */
  health(): readonly WatchHealth[];
  /** Returns the keys in the work queue of each controller: ready, delayed by backoff or requeue, and running. */
  queues(): readonly ControllerQueue[];
  /** Whether this process may write; always true without leader election. */
  readonly isLeading: boolean;
  readonly metrics: ManagerMetrics["registry"];
  /** The ports of the configured endpoints, once `ready`. */
  readonly ports: {
    readonly health?: number | undefined;
    readonly metrics?: number | undefined;
    readonly webhooks?: number | undefined;
    readonly console?: number | undefined;
  };
}

/** The work queue of a controller. */
export interface ControllerQueue {
  readonly controller: string;
  readonly keys: readonly QueuedKey[];
}

/**
 * Starts controllers in this process and returns at once. A process can run any number of managers.
 *
 * ## Guarantees
 *
 * - Start order: health and metrics endpoints, webhooks, caches, then workers after all first lists. Stop order: workers, events, the lease,
 *   watches, webhooks, endpoints.
 * - No signal handlers, no flags, no process-wide state: `run()` adds those.
 *
 * ## Caveats
 *
 * - Await `done` or `ready`: a manager that fails to start reports it there and nowhere else.
 *
 * @example
 * ```ts
 * import { type Controller, startManager } from "pintle";
 *
 * export async function operate(controllers: readonly Controller[], signal: AbortSignal): Promise<void> {
 *   const manager = startManager({ controllers, health: ":8081", signal });
 *   await manager.ready;
 *   await manager.done;
 * }
 * ```
 */
export function startManager(options: ManagerOptions): Manager {
  const parts = createManagerParts(options);
  const { stopping, listeners, metrics, failure } = parts;
  const ready = startParts(parts);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopping.abort(new Error("the manager stops"));
    stopped ??= ready.catch(() => {}).then(() => stopParts(parts));
    return stopped;
  };
  const stopRequested = new Promise<void>((resolve) => stopping.signal.addEventListener("abort", () => resolve(), { once: true }));
  const done = (async () => {
    try {
      await Promise.race([ready.then(() => stopRequested), failure]);
    } catch (error) {
      const isStopping = stopping.signal.aborted;
      await stop();
      if (!isStopping) throw error;
    }
    await stop();
  })();
  // A caller that awaits one of these learns of a failure; none has to be awaited.
  for (const promise of [ready, done, failure]) runInBackground(promise, ignoreError);
  // `done` awaits the same stop and reports its failure.
  const stopInBackground = () => runInBackground(stop(), ignoreError);
  if (options.signal?.aborted) stopInBackground();
  options.signal?.addEventListener("abort", stopInBackground, { once: true });
  return {
    ready,
    done,
    stop,
    health: () => parts.cache?.health() ?? [],
    queues: () => parts.running.map(({ controller, queue }) => ({ controller: controller.name, keys: queue.list() })),
    get isLeading() {
      return parts.leadership?.isLeading ?? false;
    },
    metrics: metrics.registry,
    ports: {
      get health() {
        return listeners.health?.port;
      },
      get metrics() {
        return listeners.metrics?.port;
      },
      get webhooks() {
        return listeners.webhooks?.port;
      },
      get console() {
        return listeners.console?.port;
      },
    },
  };
}

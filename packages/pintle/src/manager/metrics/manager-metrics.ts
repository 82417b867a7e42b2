import type { CacheObserver, WatchHealth } from "../../cache/index.ts";
import type { Clock } from "../../clock/index.ts";
import { type Controller, type ControllerObserver, isProgrammingError, type RunningController } from "../../controller/index.ts";
import { createMetricsRegistry, type MetricsRegistry } from "../../metrics/index.ts";
import type { WebhookObserver } from "../../webhook/index.ts";
import type { RequestObserver } from "../connect-client.ts";
import {
  registerCacheMetrics,
  registerPlanMetrics,
  registerProcessWideMetrics,
  registerQueueMetrics,
  registerReconcileMetrics,
} from "./metric-families.ts";
import { createWebhookMetrics } from "./webhook-metrics.ts";

/** Further priorities share one series. */
const MAX_PRIORITY_SERIES = 25;

export interface ManagerMetricsInputs {
  readonly clock: Clock;
  readonly controllers: readonly Controller[];
  readonly getRunning: () => readonly RunningController[];
  readonly getWatchHealth: () => readonly WatchHealth[];
  readonly concurrency: number;
  /** Called for every request and enqueued key. */
  readonly onActivity: () => void;
}
export interface ManagerMetrics {
  readonly registry: MetricsRegistry;
  readonly controller: ControllerObserver;
  readonly cache: CacheObserver;
  readonly webhook: WebhookObserver;
  countRequest: RequestObserver;
  /** Sets leader_election_master_status. */
  setLeading(lease: string, leads: boolean): void;
}

/** Creates the metrics of a manager. Label values are names of controllers and kinds, never of objects: more objects add no series. */
export function createManagerMetrics(inputs: ManagerMetricsInputs): ManagerMetrics {
  const { onActivity, clock } = inputs;
  const registry = createMetricsRegistry({ clock });
  const reconcile = registerReconcileMetrics(registry);
  const queue = registerQueueMetrics(registry);
  const { leader, requests, requestTime } = registerProcessWideMetrics(registry);
  const plan = registerPlanMetrics(registry);
  const cache = registerCacheMetrics(registry);
  const families: ControllerFamilies = { reconcile, queue, plan };
  startSeries(families, inputs);
  registry.beforeScrape(() => {
    setControllerGauges(families, inputs);
    setCacheGauges(cache, inputs.getWatchHealth());
  });
  return {
    registry,
    webhook: createWebhookMetrics(registry),
    countRequest(code, method, host, took) {
      onActivity();
      requests.add([code, method, host]);
      requestTime.observe([method, host], took / 1000);
    },
    setLeading: (lease, leads) => leader.set([lease], leads ? 1 : 0),
    cache: {
      onListed: (kind) => cache.lists.add([kind.kind]),
      onObjectError: (kind) => cache.poisoned.add([kind.kind]),
    },
    controller: createControllerObserver(families, onActivity),
  };
}

/** The metrics that have series per controller. */
interface ControllerFamilies {
  readonly reconcile: ReturnType<typeof registerReconcileMetrics>;
  readonly queue: ReturnType<typeof registerQueueMetrics>;
  readonly plan: ReturnType<typeof registerPlanMetrics>;
}

/** Starts every counter of every controller at zero, so that a rate is known from the first increment. */
function startSeries({ reconcile, queue, plan }: ControllerFamilies, { controllers, concurrency }: ManagerMetricsInputs): void {
  for (const controller of controllers) {
    const { name } = controller;
    for (const result of ["success", "error", "requeue", "requeue_after"]) reconcile.total.add([name, result], 0);
    for (const counter of [reconcile.errors, reconcile.terminal, reconcile.panics, reconcile.timeouts]) counter.add([name], 0);
    for (const counter of [queue.adds, queue.retries]) counter.add([name, name], 0);
    for (const step of ["apply", "skip", "wait", "prune", "status"]) plan.steps.add([name, step], 0);
    reconcile.most.set([name], controller.concurrency ?? concurrency);
  }
}

function setControllerGauges({ reconcile, queue: families, plan }: ControllerFamilies, { getRunning, clock }: ManagerMetricsInputs): void {
  families.depth.clear();
  for (const { controller, queue, pendingMappings } of getRunning()) {
    const { name } = controller;
    plan.unmappedNow.set([name], pendingMappings);
    const now = clock.monotonic();
    const runs = [...queue.running.values()].map((started) => (now - started) / 1000);
    reconcile.active.set([name], runs.length);
    families.unfinished.set(
      [name, name],
      runs.reduce((sum, each) => sum + each, 0),
    );
    families.longest.set([name, name], Math.max(0, ...runs));
    const depths = [...queue.depthByPriority];
    if (depths.length === 0) families.depth.set([name, name, "0"], 0);
    const rest = depths.slice(MAX_PRIORITY_SERIES).reduce((sum, [, count]) => sum + count, 0);
    for (const [priority, count] of depths.slice(0, MAX_PRIORITY_SERIES)) families.depth.set([name, name, String(priority)], count);
    if (rest > 0) families.depth.set([name, name, "other"], rest);
  }
}

function setCacheGauges(
  { cachedObjects, bytes, ahead, version, age }: ReturnType<typeof registerCacheMetrics>,
  watches: readonly WatchHealth[],
): void {
  for (const gauge of [cachedObjects, bytes, ahead, version, age]) gauge.clear();
  for (const watch of watches) {
    const labels = [watch.kind.kind, watch.namespace ?? ""];
    cachedObjects.set(labels, watch.objects);
    bytes.set(labels, watch.bytes);
    ahead.set(labels, watch.pendingWrites);
    if (watch.resourceVersion !== undefined) version.set(labels, Number(watch.resourceVersion));
    if (watch.lastEventAge !== undefined) age.set(labels, watch.lastEventAge / 1000);
  }
}

function createControllerObserver({ reconcile, queue, plan }: ControllerFamilies, onActivity: () => void): ControllerObserver {
  return {
    createQueueObserver: (name) => ({
      added() {
        onActivity();
        queue.adds.add([name, name]);
      },
      started: (item) => queue.waited.observe([name, name], item.waitedMs / 1000),
      finished(_, outcome, took) {
        queue.worked.observe([name, name], took / 1000);
        if (outcome.type === "failed") queue.retries.add([name, name]);
      },
    }),
    onReconciled(name, item, result, took, error, span) {
      for (const { kind = "", event } of item.reasons) plan.reasons.add([name, kind, event]);
      reconcile.total.add([name, result === "terminal" ? "error" : result]);
      reconcile.time.observe([name], took / 1000, span);
      if (result === "terminal") reconcile.terminal.add([name]);
      if (result === "terminal" || result === "error") reconcile.errors.add([name]);
      if (isProgrammingError(error)) reconcile.panics.add([name]);
    },
    onTimeout: (name) => reconcile.timeouts.add([name]),
    onMapError: (name, source) => plan.unmapped.add([name, source]),
    onPlan(name, steps) {
      for (const { step } of steps) plan.steps.add([name, step]);
    },
  };
}

import type { CacheObserver, WatchHealth } from "../../cache/index.ts";
import type { Clock } from "../../clock/index.ts";
import { type Controller, type ControllerObserver, isProgrammingError, type RunningController } from "../../controller/index.ts";
import type { WebhookObserver } from "../../webhook/index.ts";
import { createMetricsRegistry, type MetricsRegistry } from "./registry.ts";
import { createWebhookMetrics } from "./webhook-metrics.ts";

/** The buckets of controller-runtime, so that its dashboards work. */
const RECONCILE_SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5,
  5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const QUEUE_SECONDS = Array.from({ length: 12 }, (_, i) => Number(`1e${i - 8}`));
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
  countRequest(code: string, method: string, host: string): void;
  /** Sets leader_election_master_status. */
  setLeading(lease: string, leads: boolean): void;
}

/** Creates the metrics of a manager. Label values are names of controllers and kinds, never of objects: more objects add no series. */
export function createManagerMetrics({
  clock,
  controllers,
  getRunning,
  getWatchHealth,
  concurrency,
  onActivity,
}: ManagerMetricsInputs): ManagerMetrics {
  const all = createMetricsRegistry();
  const perController = ["controller"];
  const perQueue = ["name", "controller"];
  const total = all.counter("controller_runtime_reconcile_total", "Reconciliations per controller and result", ["controller", "result"]);
  const errors = all.counter("controller_runtime_reconcile_errors_total", "Failed reconciliations per controller", perController);
  const terminal = all.counter(
    "controller_runtime_terminal_reconcile_errors_total",
    "Terminal reconciliation errors per controller",
    perController,
  );
  const panics = all.counter(
    "controller_runtime_reconcile_panics_total",
    "Reconciliations that failed with a programming error per controller",
    perController,
  );
  const timeouts = all.counter(
    "controller_runtime_reconcile_timeouts_total",
    "Reconciliations that exceeded their timeout per controller",
    perController,
  );
  const time = all.histogram(
    "controller_runtime_reconcile_time_seconds",
    "Seconds per reconciliation per controller",
    perController,
    RECONCILE_SECONDS,
  );
  const most = all.gauge(
    "controller_runtime_max_concurrent_reconciles",
    "Maximum number of concurrent reconciles per controller",
    perController,
  );
  const active = all.gauge("controller_runtime_active_workers", "Number of active workers per controller", perController);
  const depth = all.gauge("workqueue_depth", "Current depth of the work queue", [...perQueue, "priority"]);
  const adds = all.counter("workqueue_adds_total", "Total number of adds to the work queue", perQueue);
  const waited = all.histogram(
    "workqueue_queue_duration_seconds",
    "Seconds a key waits in the work queue before it is processed",
    perQueue,
    QUEUE_SECONDS,
  );
  const worked = all.histogram("workqueue_work_duration_seconds", "Seconds to process a key", perQueue, QUEUE_SECONDS);
  const unfinished = all.gauge(
    "workqueue_unfinished_work_seconds",
    "Seconds of work in progress that has not been observed by work_duration",
    perQueue,
  );
  const longest = all.gauge(
    "workqueue_longest_running_processor_seconds",
    "Seconds the longest running processor has been running",
    perQueue,
  );
  const retries = all.counter("workqueue_retries_total", "Total number of retries", perQueue);
  const leader = all.gauge("leader_election_master_status", "1 while this process leads", ["name"]);
  const requests = all.counter("rest_client_requests_total", "Requests to the API server", ["code", "method", "host"]);
  const steps = all.counter("pintle_plan_steps_total", "Steps of plans per controller and step type", ["controller", "step"]);
  const unmapped = all.counter("pintle_map_errors_total", "Events whose mapping threw and was retried", ["controller", "source"]);
  const unmappedNow = all.gauge("pintle_unmapped_changes", "Events whose mapping threw and that wait for a retry", perController);
  const reasons = all.counter("pintle_reconcile_reasons_total", "Reconciliations by the kind and event that enqueued them", [
    "controller",
    "kind",
    "event",
  ]);
  const cachedObjects = all.gauge("pintle_cache_objects", "Objects in the cache", ["kind", "namespace"]);
  const ahead = all.gauge("pintle_cache_own_writes", "Own writes whose watch event has not arrived yet", ["kind", "namespace"]);
  const bytes = all.gauge("pintle_cache_bytes", "Size of the cached objects as JSON, estimated from a sample", ["kind", "namespace"]);
  const version = all.gauge("pintle_cache_resource_version", "Resource version up to which the cache is complete", ["kind", "namespace"]);
  const age = all.gauge("pintle_watch_age_seconds", "Seconds since the last event, bookmark or response of the watch", [
    "kind",
    "namespace",
  ]);
  const lists = all.counter("pintle_cache_lists_total", "Complete lists, including the first", ["kind"]);
  const poisoned = all.counter("pintle_cache_poisoned_total", "Objects for which a handler, an index or a transform threw", ["kind"]);

  for (const controller of controllers) {
    const { name } = controller;
    for (const result of ["success", "error", "requeue", "requeue_after"]) total.add([name, result], 0);
    for (const counter of [errors, terminal, panics, timeouts]) counter.add([name], 0);
    for (const counter of [adds, retries]) counter.add([name, name], 0);
    for (const step of ["apply", "skip", "wait", "prune", "status"]) steps.add([name, step], 0);
    most.set([name], controller.concurrency ?? concurrency);
  }
  all.beforeScrape(() => {
    depth.clear();
    for (const { controller, queue, pendingMappings } of getRunning()) {
      const { name } = controller;
      unmappedNow.set([name], pendingMappings);
      const now = clock.monotonic();
      const runs = [...queue.running.values()].map((started) => (now - started) / 1000);
      active.set([name], runs.length);
      unfinished.set(
        [name, name],
        runs.reduce((sum, each) => sum + each, 0),
      );
      longest.set([name, name], Math.max(0, ...runs));
      const depths = [...queue.depthByPriority];
      if (depths.length === 0) depth.set([name, name, "0"], 0);
      const rest = depths.slice(MAX_PRIORITY_SERIES).reduce((sum, [, count]) => sum + count, 0);
      for (const [priority, count] of depths.slice(0, MAX_PRIORITY_SERIES)) depth.set([name, name, String(priority)], count);
      if (rest > 0) depth.set([name, name, "other"], rest);
    }
    for (const gauge of [cachedObjects, bytes, ahead, version, age]) gauge.clear();
    for (const watch of getWatchHealth()) {
      const labels = [watch.kind.kind, watch.namespace ?? ""];
      cachedObjects.set(labels, watch.objects);
      bytes.set(labels, watch.bytes);
      ahead.set(labels, watch.pendingWrites);
      if (watch.resourceVersion !== undefined) version.set(labels, Number(watch.resourceVersion));
      if (watch.lastEventAge !== undefined) age.set(labels, watch.lastEventAge / 1000);
    }
  });

  return {
    registry: all,
    webhook: createWebhookMetrics(all),
    countRequest(code, method, host) {
      onActivity();
      requests.add([code, method, host]);
    },
    setLeading: (lease, leads) => leader.set([lease], leads ? 1 : 0),
    cache: {
      onListed: (kind) => lists.add([kind.kind]),
      onObjectError: (kind) => poisoned.add([kind.kind]),
    },
    controller: {
      createQueueObserver: (name) => ({
        added() {
          onActivity();
          adds.add([name, name]);
        },
        started: (item) => waited.observe([name, name], item.waitedMs / 1000),
        finished(_, outcome, took) {
          worked.observe([name, name], took / 1000);
          if (outcome.type === "failed") retries.add([name, name]);
        },
      }),
      onReconciled(name, item, result, took, error) {
        for (const { kind = "", event } of item.reasons) reasons.add([name, kind, event]);
        total.add([name, result === "terminal" ? "error" : result]);
        time.observe([name], took / 1000);
        if (result === "terminal") terminal.add([name]);
        if (result === "terminal" || result === "error") errors.add([name]);
        if (isProgrammingError(error)) panics.add([name]);
      },
      onTimeout: (name) => timeouts.add([name]),
      onMapError: (name, source) => unmapped.add([name, source]),
      onPlan(name, plan) {
        for (const { step } of plan) steps.add([name, step]);
      },
    },
  };
}

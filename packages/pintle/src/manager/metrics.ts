import type { CacheObserver, WatchHealth } from "../cache/index.ts";
import { type Controller, type ControllerObserver, isBug, type Operation } from "../controller/index.ts";
import type { Clock } from "../queue/index.ts";
import type { WebhookObserver } from "../webhook/index.ts";
import { type Registry, registry } from "./registry.ts";
import { webhookMetrics } from "./webhook-metrics.ts";

/** controller-runtime's own, so that dashboards made for it work. */
const RECONCILE_SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5,
  5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const QUEUE_SECONDS = Array.from({ length: 12 }, (_, i) => Number(`1e${i - 8}`));
/** More different priorities than this share one series. */
const MOST_PRIORITIES = 25;

export interface Sources {
  readonly clock: Clock;
  readonly controllers: readonly Controller[];
  readonly operations: () => readonly Operation[];
  readonly health: () => readonly WatchHealth[];
  readonly concurrency: number;
  /** Called whenever there is work. */
  readonly busy: () => void;
}
export interface Metrics {
  readonly registry: Registry;
  readonly controller: ControllerObserver;
  readonly cache: CacheObserver;
  readonly webhook: WebhookObserver;
  request(code: string, method: string, host: string): void;
  /** 1 while this process leads. */
  leading(lease: string, leads: boolean): void;
}

/** What is counted. Labels are names of controllers and kinds, never of objects: ten thousand objects add no series. */
export function metrics({ clock, controllers, operations, health, concurrency, busy }: Sources): Metrics {
  const all = registry();
  const perController = ["controller"];
  const perQueue = ["name", "controller"];
  const total = all.counter("controller_runtime_reconcile_total", "Reconciliations per controller and result", ["controller", "result"]);
  const errors = all.counter("controller_runtime_reconcile_errors_total", "Failed reconciliations per controller", perController);
  const terminal = all.counter(
    "controller_runtime_terminal_reconcile_errors_total",
    "Reconciliations that failed for good per controller",
    perController,
  );
  const panics = all.counter(
    "controller_runtime_reconcile_panics_total",
    "Reconciliations that failed by a programming error per controller",
    perController,
  );
  const timeouts = all.counter(
    "controller_runtime_reconcile_timeouts_total",
    "Reconciliations that ran into their timeout per controller",
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
    "How many objects a controller works on at once at most",
    perController,
  );
  const active = all.gauge("controller_runtime_active_workers", "How many objects a controller works on now", perController);
  const depth = all.gauge("workqueue_depth", "Objects that are ready and wait", [...perQueue, "priority"]);
  const adds = all.counter("workqueue_adds_total", "Wakes taken in", perQueue);
  const waited = all.histogram("workqueue_queue_duration_seconds", "Seconds an object waited while ready", perQueue, QUEUE_SECONDS);
  const worked = all.histogram("workqueue_work_duration_seconds", "Seconds an object was worked on", perQueue, QUEUE_SECONDS);
  const unfinished = all.gauge("workqueue_unfinished_work_seconds", "Seconds of work that is still going on", perQueue);
  const longest = all.gauge("workqueue_longest_running_processor_seconds", "Seconds of the longest work that is still going on", perQueue);
  const retries = all.counter("workqueue_retries_total", "Retries after a failure", perQueue);
  const leader = all.gauge("leader_election_master_status", "1 while this process leads", ["name"]);
  const requests = all.counter("rest_client_requests_total", "Requests to the API server", ["code", "method", "host"]);
  const steps = all.counter("pintle_plan_steps_total", "What plans said, per controller and step", ["controller", "step"]);
  const unmapped = all.counter("pintle_map_errors_total", "Changes whose mapping threw and was repeated", ["controller", "source"]);
  const unmappedNow = all.gauge("pintle_unmapped_changes", "Changes whose mapping threw and that wait to be mapped again", perController);
  const reasons = all.counter("pintle_reconcile_reasons_total", "Why objects were reconciled, by what happened to which kind", [
    "controller",
    "kind",
    "event",
  ]);
  const kept = all.gauge("pintle_cache_objects", "Objects in the cache", ["kind", "namespace"]);
  const ahead = all.gauge("pintle_cache_own_writes", "Own writes that the watch has not shown yet", ["kind", "namespace"]);
  const bytes = all.gauge("pintle_cache_bytes", "Size of these objects as JSON, estimated from a few of them", ["kind", "namespace"]);
  const version = all.gauge("pintle_cache_resource_version", "The version up to which the cache has seen everything", [
    "kind",
    "namespace",
  ]);
  const age = all.gauge("pintle_watch_age_seconds", "Seconds since the server was last heard", ["kind", "namespace"]);
  const lists = all.counter("pintle_cache_lists_total", "Complete lists, the first one included", ["kind"]);
  const poisoned = all.counter("pintle_cache_poisoned_total", "Objects that a handler, an index or a transform could not take", ["kind"]);

  for (const controller of controllers) {
    const { name } = controller;
    for (const result of ["success", "error", "requeue", "requeue_after"]) total.add([name, result], 0);
    for (const counter of [errors, terminal, panics, timeouts]) counter.add([name], 0);
    for (const counter of [adds, retries]) counter.add([name, name], 0);
    for (const step of ["apply", "skip", "hold", "prune", "status"]) steps.add([name, step], 0);
    most.set([name], controller.concurrency ?? concurrency);
  }
  all.before(() => {
    depth.clear();
    for (const { controller, queue, unmapped } of operations()) {
      const { name } = controller;
      unmappedNow.set([name], unmapped);
      const now = clock.monotonic();
      const runs = [...queue.running.values()].map((started) => (now - started) / 1000);
      active.set([name], runs.length);
      unfinished.set(
        [name, name],
        runs.reduce((sum, each) => sum + each, 0),
      );
      longest.set([name, name], Math.max(0, ...runs));
      const depths = [...queue.depths];
      if (depths.length === 0) depth.set([name, name, "0"], 0);
      const rest = depths.slice(MOST_PRIORITIES).reduce((sum, [, count]) => sum + count, 0);
      for (const [priority, count] of depths.slice(0, MOST_PRIORITIES)) depth.set([name, name, String(priority)], count);
      if (rest > 0) depth.set([name, name, "other"], rest);
    }
    for (const gauge of [kept, bytes, ahead, version, age]) gauge.clear();
    for (const watch of health()) {
      const labels = [watch.kind.kind, watch.namespace ?? ""];
      kept.set(labels, watch.objects);
      bytes.set(labels, watch.bytes);
      ahead.set(labels, watch.ahead);
      if (watch.version !== undefined) version.set(labels, Number(watch.version));
      if (watch.age !== undefined) age.set(labels, watch.age / 1000);
    }
  });

  return {
    registry: all,
    webhook: webhookMetrics(all),
    request(code, method, host) {
      busy();
      requests.add([code, method, host]);
    },
    leading: (lease, leads) => leader.set([lease], leads ? 1 : 0),
    cache: {
      listed: (kind) => lists.add([kind.kind]),
      poisoned: (kind) => poisoned.add([kind.kind]),
    },
    controller: {
      queue: (name) => ({
        added() {
          busy();
          adds.add([name, name]);
        },
        started: (item) => waited.observe([name, name], item.waited / 1000),
        finished(_, outcome, took) {
          worked.observe([name, name], took / 1000);
          if (outcome.type === "failed") retries.add([name, name]);
        },
      }),
      reconciled(name, item, result, took, error) {
        for (const { kind = "", event } of item.reasons) reasons.add([name, kind, event]);
        total.add([name, result === "terminal" ? "error" : result]);
        time.observe([name], took / 1000);
        if (result === "terminal") terminal.add([name]);
        if (result === "terminal" || result === "error") errors.add([name]);
        if (isBug(error)) panics.add([name]);
      },
      timedOut: (name) => timeouts.add([name]),
      mapFailed: (name, source) => unmapped.add([name, source]),
      planned(name, plan) {
        for (const { step } of plan) steps.add([name, step]);
      },
    },
  };
}

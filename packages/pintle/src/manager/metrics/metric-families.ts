import type { MetricsRegistry } from "../../metrics/index.ts";

/** The buckets of controller-runtime, so that its dashboards work. */
const RECONCILE_SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5,
  5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
/** The buckets of client-go's adapter. */
const REQUEST_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const QUEUE_SECONDS = Array.from({ length: 12 }, (_, i) => Number(`1e${i - 8}`));
const PER_CONTROLLER = ["controller"];
const PER_QUEUE = ["name", "controller"];

/** Metrics of reconciliations, with the names of controller-runtime. */
export function registerReconcileMetrics(all: MetricsRegistry) {
  return {
    total: all.counter("controller_runtime_reconcile_total", "Reconciliations per controller and result", ["controller", "result"]),
    errors: all.counter("controller_runtime_reconcile_errors_total", "Failed reconciliations per controller", PER_CONTROLLER),
    terminal: all.counter(
      "controller_runtime_terminal_reconcile_errors_total",
      "Terminal reconciliation errors per controller",
      PER_CONTROLLER,
    ),
    panics: all.counter(
      "controller_runtime_reconcile_panics_total",
      "Reconciliations that failed with a programming error per controller",
      PER_CONTROLLER,
    ),
    timeouts: all.counter(
      "controller_runtime_reconcile_timeouts_total",
      "Reconciliations that exceeded their timeout per controller",
      PER_CONTROLLER,
    ),
    time: all.histogram(
      "controller_runtime_reconcile_time_seconds",
      "Seconds per reconciliation per controller",
      PER_CONTROLLER,
      RECONCILE_SECONDS,
    ),
    most: all.gauge(
      "controller_runtime_max_concurrent_reconciles",
      "Maximum number of concurrent reconciles per controller",
      PER_CONTROLLER,
    ),
    active: all.gauge("controller_runtime_active_workers", "Number of active workers per controller", PER_CONTROLLER),
  };
}

/** Metrics of work queues, with the names of controller-runtime. */
export function registerQueueMetrics(all: MetricsRegistry) {
  return {
    depth: all.gauge("workqueue_depth", "Current depth of the work queue", [...PER_QUEUE, "priority"]),
    adds: all.counter("workqueue_adds_total", "Total number of adds to the work queue", PER_QUEUE),
    waited: all.histogram(
      "workqueue_queue_duration_seconds",
      "Seconds a key waits in the work queue before it is processed",
      PER_QUEUE,
      QUEUE_SECONDS,
    ),
    worked: all.histogram("workqueue_work_duration_seconds", "Seconds to process a key", PER_QUEUE, QUEUE_SECONDS),
    unfinished: all.gauge(
      "workqueue_unfinished_work_seconds",
      "Seconds of work in progress that has not been observed by work_duration",
      PER_QUEUE,
    ),
    longest: all.gauge("workqueue_longest_running_processor_seconds", "Seconds the longest running processor has been running", PER_QUEUE),
    retries: all.counter("workqueue_retries_total", "Total number of retries", PER_QUEUE),
  };
}

/** Metrics of the leader election and of requests, with the names of client-go. */
export function registerProcessWideMetrics(all: MetricsRegistry) {
  return {
    leader: all.gauge("leader_election_master_status", "1 while this process leads", ["name"]),
    requests: all.counter("rest_client_requests_total", "Requests to the API server", ["code", "method", "host"]),
    requestTime: all.histogram(
      "rest_client_request_duration_seconds",
      "Seconds from a request to the API server to the begin of its response",
      ["verb", "host"],
      REQUEST_SECONDS,
    ),
  };
}

/** Metrics of plans and of the events that enqueue keys. */
export function registerPlanMetrics(all: MetricsRegistry) {
  return {
    steps: all.counter("pintle_plan_steps_total", "Steps of plans per controller and step type", ["controller", "step"]),
    unmapped: all.counter("pintle_map_errors_total", "Events whose mapping threw and was retried", ["controller", "source"]),
    unmappedNow: all.gauge("pintle_unmapped_changes", "Events whose mapping threw and that wait for a retry", PER_CONTROLLER),
    reasons: all.counter("pintle_reconcile_reasons_total", "Reconciliations by the kind and event that enqueued them", [
      "controller",
      "kind",
      "event",
    ]),
  };
}

/** Metrics of the cache: one series per kind and watched namespace. */
export function registerCacheMetrics(all: MetricsRegistry) {
  return {
    cachedObjects: all.gauge("pintle_cache_objects", "Objects in the cache", ["kind", "namespace"]),
    ahead: all.gauge("pintle_cache_own_writes", "Own writes whose watch event has not arrived yet", ["kind", "namespace"]),
    bytes: all.gauge("pintle_cache_bytes", "Size of the cached objects as JSON, estimated from a sample", ["kind", "namespace"]),
    version: all.gauge("pintle_cache_resource_version", "Resource version up to which the cache is complete", ["kind", "namespace"]),
    age: all.gauge("pintle_watch_age_seconds", "Seconds since the last event, bookmark or response of the watch", ["kind", "namespace"]),
    lists: all.counter("pintle_cache_lists_total", "Complete lists, including the first", ["kind"]),
    poisoned: all.counter("pintle_cache_poisoned_total", "Objects for which a handler, an index or a transform threw", ["kind"]),
  };
}

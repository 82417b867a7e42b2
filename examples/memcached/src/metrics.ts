import { createMetricsRegistry } from "pintle";
import type { Stats } from "./memcached-stats.ts";

/** Metrics of this operator in addition to the standard ones; `config/monitoring/alerts.yaml` uses them. */
export const metrics = createMetricsRegistry();
const labels = ["namespace", "memcached", "pod"];
const up = metrics.gauge("memcached_up", "Whether the server responds (1) or not (0)", labels);
const STAT_METRICS = [
  ["curr_items", metrics.gauge("memcached_items", "Number of items", labels)],
  ["bytes", metrics.gauge("memcached_used_bytes", "Memory used by items", labels)],
  ["limit_maxbytes", metrics.gauge("memcached_limit_bytes", "Memory limit for items", labels)],
  ["curr_connections", metrics.gauge("memcached_connections", "Number of open connections", labels)],
  ["cmd_get", metrics.counter("memcached_gets_total", "Number of get requests", labels)],
  ["get_hits", metrics.counter("memcached_hits_total", "Number of get requests that found the key", labels)],
  ["cmd_set", metrics.counter("memcached_sets_total", "Number of set requests", labels)],
  ["evictions", metrics.counter("memcached_evictions_total", "Number of items evicted to free memory", labels)],
] as const;

/** Records the statistics of a server; undefined means that it did not respond. */
export function recordStats(server: readonly [namespace: string, memcached: string, pod: string], stats: Stats | undefined): void {
  up.set(server, stats === undefined ? 0 : 1);
  for (const [name, metric] of STAT_METRICS) if (stats !== undefined) metric.set(server, stats.get(name) ?? 0);
}

/** Removes the series of a server that no longer exists. */
export function removeServer(server: readonly [namespace: string, memcached: string, pod: string]): void {
  for (const metric of [up, ...STAT_METRICS.map(([, metric]) => metric)]) metric.remove(server);
}

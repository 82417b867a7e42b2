import { registry } from "pintle";
import type { Stats } from "./protocol.ts";

/** What this operator tells besides what every operator does; `config/monitoring/alerts.yaml` is about these. */
export const numbers = registry();
const labels = ["namespace", "memcached", "pod"];
const up = numbers.gauge("memcached_up", "1: the server answers", labels);
const told = [
  ["curr_items", numbers.gauge("memcached_items", "Items that are kept", labels)],
  ["bytes", numbers.gauge("memcached_used_bytes", "Memory that items take", labels)],
  ["limit_maxbytes", numbers.gauge("memcached_limit_bytes", "Memory that items may take", labels)],
  ["curr_connections", numbers.gauge("memcached_connections", "Open connections", labels)],
  ["cmd_get", numbers.counter("memcached_gets_total", "Keys asked for", labels)],
  ["get_hits", numbers.counter("memcached_hits_total", "Keys asked for and found", labels)],
  ["cmd_set", numbers.counter("memcached_sets_total", "Keys written", labels)],
  ["evictions", numbers.counter("memcached_evictions_total", "Items given up for want of memory", labels)],
] as const;

/** Tells what a server said; undefined: that it said nothing. */
export function tell(server: readonly [namespace: string, memcached: string, pod: string], stats: Stats | undefined): void {
  up.set(server, stats === undefined ? 0 : 1);
  for (const [name, metric] of told) if (stats !== undefined) metric.set(server, stats.get(name) ?? 0);
}

/** It is gone. */
export function forget(server: readonly [namespace: string, memcached: string, pod: string]): void {
  for (const metric of [up, ...told.map(([, metric]) => metric)]) metric.remove(server);
}

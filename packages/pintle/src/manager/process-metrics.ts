import type { LoopLag } from "./loop-lag.ts";
import type { Registry } from "./registry.ts";

/** How the process itself is doing, under the names that Prometheus clients use. */
export function processMetrics(registry: Registry, loop: LoopLag): void {
  const cpu = registry.gauge("process_cpu_seconds_total", "Seconds of CPU used");
  const resident = registry.gauge("process_resident_memory_bytes", "Resident memory");
  const started = registry.gauge("process_start_time_seconds", "When the process started, in seconds since 1970");
  const heap = registry.gauge("nodejs_heap_size_used_bytes", "Heap in use");
  const lag = registry.gauge("nodejs_eventloop_lag_seconds", "How late the event loop turned at most since the last scrape");
  const p99 = registry.gauge("nodejs_eventloop_lag_p99_seconds", "How late it turned in 99 of 100 turns since the last scrape");
  started.set([], Math.round(Date.now() / 1000 - process.uptime()));
  registry.before(() => {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    cpu.set([], (user + system) / 1e6);
    resident.set([], rss);
    heap.set([], heapUsed);
    const late = loop.told();
    lag.set([], late.most);
    p99.set([], late.p99);
  });
}

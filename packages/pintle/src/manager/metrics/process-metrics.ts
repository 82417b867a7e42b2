import type { MetricsRegistry } from "../../metrics/index.ts";
import type { EventLoopLag } from "./event-loop-lag.ts";

/** Registers metrics of the process, with the names that Prometheus clients use. */
export function registerProcessMetrics(registry: MetricsRegistry, loop: EventLoopLag): void {
  const cpu = registry.gauge("process_cpu_seconds_total", "Seconds of CPU used");
  const resident = registry.gauge("process_resident_memory_bytes", "Resident memory");
  const started = registry.gauge("process_start_time_seconds", "When the process started, in seconds since 1970");
  const heap = registry.gauge("nodejs_heap_size_used_bytes", "Heap in use");
  const lag = registry.gauge("nodejs_eventloop_lag_seconds", "Maximum event loop lag since the last scrape");
  const p99 = registry.gauge("nodejs_eventloop_lag_p99_seconds", "99th percentile of the event loop lag since the last scrape");
  started.set([], Math.round(Date.now() / 1000 - process.uptime()));
  registry.beforeScrape(() => {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    cpu.set([], (user + system) / 1e6);
    resident.set([], rss);
    heap.set([], heapUsed);
    const statistics = loop.takeStatistics();
    lag.set([], statistics.max);
    p99.set([], statistics.p99);
  });
}

import type { MetricsRegistry } from "./registry.ts";

/** Registers CPU, memory and start time of this process, with the names that Prometheus clients use. */
export function registerProcessMetrics(registry: MetricsRegistry): void {
  const cpu = registry.counter("process_cpu_seconds_total", "Total user and system CPU time spent in seconds");
  const resident = registry.gauge("process_resident_memory_bytes", "Resident memory size in bytes");
  const started = registry.gauge("process_start_time_seconds", "Start time of the process in seconds since the Unix epoch");
  const heap = registry.gauge("nodejs_heap_size_used_bytes", "V8 heap in use in bytes");
  started.set([], Math.round(Date.now() / 1000 - process.uptime()));
  registry.beforeScrape(() => {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    cpu.set([], (user + system) / 1e6);
    resident.set([], rss);
    heap.set([], heapUsed);
  });
}

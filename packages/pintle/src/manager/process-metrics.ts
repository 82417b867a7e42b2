import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Registry } from "./registry.ts";

/** The loop is looked at ten times a second: what blocks it for longer is seen, and an operator that waits costs next to nothing. */
const LOOK_MS = 100;

/** How the process itself is doing, under the names that Prometheus clients use. Returns how to stop measuring. */
export function processMetrics(registry: Registry): () => void {
  const cpu = registry.gauge("process_cpu_seconds_total", "Seconds of CPU used");
  const resident = registry.gauge("process_resident_memory_bytes", "Resident memory");
  const started = registry.gauge("process_start_time_seconds", "When the process started, in seconds since 1970");
  const heap = registry.gauge("nodejs_heap_size_used_bytes", "Heap in use");
  const lag = registry.gauge("nodejs_eventloop_lag_seconds", "How late the event loop turned at most since the last scrape");
  const p99 = registry.gauge("nodejs_eventloop_lag_p99_seconds", "How late it turned in 99 of 100 turns since the last scrape");
  const delay = monitorEventLoopDelay({ resolution: LOOK_MS });
  delay.enable();
  started.set([], Math.round(Date.now() / 1000 - process.uptime()));
  registry.before(() => {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    cpu.set([], (user + system) / 1e6);
    resident.set([], rss);
    heap.set([], heapUsed);
    // Node tells the time from look to look; what is late is what is more.
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - LOOK_MS / 1000);
    lag.set([], late(delay.max));
    p99.set([], late(delay.percentile(99)));
    delay.reset();
  });
  return () => void delay.disable();
}

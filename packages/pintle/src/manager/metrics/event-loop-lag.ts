import { createHistogram } from "node:perf_hooks";
import type { MetricsRegistry } from "../../metrics/index.ts";

/** Ten samples per second: a longer block of the event loop is measured. */
const SAMPLE_INTERVAL_MS = 100;
const MAX_IDLE_SAMPLES = 20;

/** Measures the event loop lag. */
export interface EventLoopLag {
  /** There is work: starts sampling, or keeps it running. */
  markActive(): void;
  /** Returns the lag in seconds since the last call, and resets it. */
  takeStatistics(): { readonly max: number; readonly p99: number };
  stop(): void;
}

/**
 * Samples the event loop while there is work, and for two seconds more. An idle operator is not woken ten times per second, which is why this does not use
 * Node's monitorEventLoopDelay: that cannot pause.
 */
export function monitorEventLoopLag(): EventLoopLag {
  const lag = createHistogram();
  let timer: NodeJS.Timeout | undefined;
  let due = 0;
  let idleSamples = 0;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const sample = () => {
    const now = performance.now();
    lag.record(Math.max(1, Math.round((now - due) * 1e6)));
    due = now + SAMPLE_INTERVAL_MS;
    if (++idleSamples > MAX_IDLE_SAMPLES) stop();
  };
  return {
    markActive() {
      idleSamples = 0;
      if (timer !== undefined) return;
      due = performance.now() + SAMPLE_INTERVAL_MS;
      timer = setInterval(sample, SAMPLE_INTERVAL_MS);
      timer.unref();
    },
    takeStatistics() {
      const max = lag.count === 0 ? 0 : lag.max / 1e9;
      const p99 = lag.count === 0 ? 0 : lag.percentile(99) / 1e9;
      lag.reset();
      return { max, p99 };
    },
    stop,
  };
}

/** Registers the event loop lag, with the names that prom-client uses. */
export function registerEventLoopMetrics(registry: MetricsRegistry, loop: EventLoopLag): void {
  const lag = registry.gauge("nodejs_eventloop_lag_seconds", "Maximum event loop lag since the last scrape");
  const p99 = registry.gauge("nodejs_eventloop_lag_p99_seconds", "99th percentile of the event loop lag since the last scrape");
  registry.beforeScrape(() => {
    const statistics = loop.takeStatistics();
    lag.set([], statistics.max);
    p99.set([], statistics.p99);
  });
}

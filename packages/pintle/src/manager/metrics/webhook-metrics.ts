import type { MetricsRegistry } from "../../metrics/index.ts";
import type { WebhookObserver } from "../../webhook/index.ts";

/** The buckets of controller-runtime. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Creates the webhook metrics, with the names of controller-runtime; the code is that of the response inside the review. They are registered with the
 * first webhook.
 */
export function createWebhookMetrics(all: MetricsRegistry): WebhookObserver {
  let known: ReturnType<typeof registerWebhookMetrics> | undefined;
  const getMetrics = () => {
    known ??= registerWebhookMetrics(all);
    return known;
  };
  const running = new Map<string, number>();
  const count = (path: string, by: number) => {
    const now = (running.get(path) ?? 0) + by;
    running.set(path, now);
    getMetrics().inFlight.set([path], now);
  };
  return {
    paths(paths) {
      const { total, panics, conversions } = getMetrics();
      for (const path of paths) {
        for (const code of ["200", "500"]) total.add([path, code], 0);
        count(path, 0);
      }
      for (const counter of [panics, conversions]) counter.add([], 0);
    },
    started: (path) => count(path, 1),
    finished(path, code, milliseconds, threw, span) {
      const { total, latency, panics } = getMetrics();
      count(path, -1);
      total.add([path, String(code)]);
      latency.observe([path], milliseconds / 1000, span);
      if (threw) panics.add([]);
    },
    conversionThrew: () => getMetrics().conversions.add([]),
    certificateLoaded(well) {
      getMetrics().reads.add([]);
      if (!well) getMetrics().misreads.add([]);
    },
  };
}

function registerWebhookMetrics(all: MetricsRegistry) {
  return {
    latency: all.histogram("controller_runtime_webhook_latency_seconds", "Seconds per webhook request", ["webhook"], SECONDS),
    total: all.counter("controller_runtime_webhook_requests_total", "Webhook requests by response code", ["webhook", "code"]),
    inFlight: all.gauge("controller_runtime_webhook_requests_in_flight", "Webhook requests in progress", ["webhook"]),
    panics: all.counter("controller_runtime_webhook_panics_total", "Webhooks that threw"),
    conversions: all.counter("controller_runtime_conversion_webhook_panics_total", "Conversions that threw"),
    reads: all.counter("certwatcher_read_certificate_total", "Reads of a certificate from files"),
    misreads: all.counter("certwatcher_read_certificate_errors_total", "Reads of a certificate from files that failed"),
  };
}

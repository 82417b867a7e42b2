/**
 * A metrics registry: counters, gauges and histograms come in, the text of a scrape goes out, in the Prometheus text format or, with the sampled
 * spans of OpenTelemetry as exemplars, in that of OpenMetrics. Also the metrics of the process, which operators and the embedded API server have in
 * common.
 */
export { type MetricsFormat, negotiateFormat, TEXT_FORMAT } from "./negotiate.ts";
export { registerProcessMetrics } from "./process-metrics.ts";
export {
  type Counter,
  createMetricsRegistry,
  type Gauge,
  type Histogram,
  type MetricFamily,
  type MetricLabelValues,
  type MetricsRegistry,
} from "./registry.ts";

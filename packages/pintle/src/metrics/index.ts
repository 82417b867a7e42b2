/**
 * A metrics registry in the Prometheus text format: counters, gauges and histograms come in, the text of a scrape goes out. Also the metrics of the
 * process, which operators and the embedded API server have in common.
 */
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

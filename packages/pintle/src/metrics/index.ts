/** A metrics registry in the Prometheus text format: counters, gauges and histograms come in, the text of a scrape goes out. */
export {
  type Counter,
  createMetricsRegistry,
  type Gauge,
  type Histogram,
  type MetricFamily,
  type MetricLabelValues,
  type MetricsRegistry,
} from "./registry.ts";

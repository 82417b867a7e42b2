import { type Clock, systemClock } from "../clock/index.ts";
import { InvalidUsage, type MetricsSource } from "../controller/index.ts";
import { getActiveSpan, type SpanContext } from "../telemetry/index.ts";
import { renderOpenMetrics } from "./open-metrics.ts";
import type { MetricFamilyState, MetricSeries } from "./samples.ts";
import { renderText } from "./text-format.ts";

/** Values of a metric's labels, in the order the labels were declared. */
export type MetricLabelValues = readonly string[];

/** What counters, gauges and histograms have in common. */
export interface MetricFamily {
  /** Removes one series, for example of a deleted object. */
  remove(labels: MetricLabelValues): void;
}
/** A counter. */
export interface Counter extends MetricFamily {
  /** Adds to a series. Default: 1. */
  add(labels: MetricLabelValues, by?: number): void;
  /** Sets a series, for a count that is kept elsewhere. */
  set(labels: MetricLabelValues, value: number): void;
}
/** A gauge. */
export interface Gauge extends MetricFamily {
  /** Sets a series. */
  set(labels: MetricLabelValues, value: number): void;
  /** Removes all series, for a gauge that is filled at each scrape. */
  clear(): void;
}
/** A histogram. */
export interface Histogram extends MetricFamily {
  /**
   * Adds an observation to a series. With an OpenTelemetry SDK, the last sampled span per bucket is its exemplar. `span`: that of the observation.
   * Default: the active one.
   */
  observe(labels: MetricLabelValues, value: number, span?: SpanContext): void;
}

/** SpanContext.traceFlags: the span is exported. */
const SAMPLED = 1;

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/** Metrics in the Prometheus text format, and in that of OpenMetrics. */
export interface MetricsRegistry extends MetricsSource {
  /** Returns all metrics as OpenMetrics text; undefined if one of the included sources has no such text. */
  renderOpenMetrics(): string | undefined;
  /** Registers a counter. Throws for an invalid or duplicate name. */
  counter(name: string, help: string, labels?: readonly string[]): Counter;
  /** Registers a gauge. Throws for an invalid or duplicate name. */
  gauge(name: string, help: string, labels?: readonly string[]): Gauge;
  /** Registers a histogram with these bucket bounds. Throws for an invalid or duplicate name. */
  histogram(name: string, help: string, labels: readonly string[], buckets: readonly number[]): Histogram;
  /** Renders the metrics of another source with its own. Throws for a name that both have. */
  include(other: MetricsSource): void;
  /** Adds a callback before each scrape, for values that are read rather than counted. */
  beforeScrape(update: () => void): void;
}

/**
 * Creates a metrics registry: for the metrics of a controller (`controller(Kind, { metrics })`) or of a manager. There is no global registry.
 *
 * @example
 * ```ts
 * import { controller, createMetricsRegistry, defineResource, z } from "pintle";
 *
 * const Backup = defineResource({ group: "example.com", version: "v1", kind: "Backup", spec: z.object({}) });
 * const metrics = createMetricsRegistry();
 * const backups = metrics.counter("example_backups_total", "Backups taken", ["namespace"]);
 *
 * export const backup = controller(Backup, {
 *   metrics,
 *   reconcile: ({ object }) => backups.add([object.metadata.namespace]),
 * });
 * ```
 */
export function createMetricsRegistry({ clock = systemClock }: { readonly clock?: Clock | undefined } = {}): MetricsRegistry {
  const metrics: MetricFamilyState[] = [];
  const beforeScrape: (() => void)[] = [];
  const included: MetricsSource[] = [];

  const family = (
    name: string,
    help: string,
    type: MetricFamilyState["type"],
    names: readonly string[],
    buckets: readonly number[] = [],
  ) => {
    if (!NAME.test(name))
      throw new InvalidUsage("PINTLE4008", `${JSON.stringify(name)} is not a metric name: use letters, digits, "_" and ":"`);
    if (metrics.some((each) => each.name === name)) throw duplicateError(name);
    const all = new Map<string, MetricSeries>();
    metrics.push({ name, help, type, labels: names, buckets, series: all });
    return {
      clear: () => all.clear(),
      remove: (labels: MetricLabelValues) => void all.delete(labels.join("\u0000")),
      of(labels: MetricLabelValues): MetricSeries {
        const key = labels.join("\u0000");
        let series = all.get(key);
        if (series === undefined) {
          if (labels.length !== names.length) throw new InvalidUsage("PINTLE4010", `metric ${name} has the labels ${names.join(", ")}`);
          series = { labels, value: 0, counts: [], count: 0 };
          all.set(key, series);
        }
        return series;
      },
    };
  };
  const sortOwn = () => metrics.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const update = () => {
    for (const each of beforeScrape) each();
  };

  return {
    counter(name: string, help: string, labels: readonly string[] = []): Counter {
      const found = family(name, help, "counter", labels);
      return {
        remove: found.remove,
        add(values, by = 1) {
          found.of(values).value += by;
        },
        set(values, value) {
          found.of(values).value = value;
        },
      };
    },
    gauge(name: string, help: string, labels: readonly string[] = []): Gauge {
      const found = family(name, help, "gauge", labels);
      return {
        clear: found.clear,
        remove: found.remove,
        set(values, value) {
          found.of(values).value = value;
        },
      };
    },
    histogram(name: string, help: string, labels: readonly string[], buckets: readonly number[]): Histogram {
      const found = family(name, help, "histogram", labels, buckets);
      return {
        remove: found.remove,
        observe(values, value, span = getActiveSpan()) {
          const series = found.of(values);
          series.value += value;
          series.count++;
          const at = buckets.findIndex((bound) => value <= bound);
          if (at >= 0) series.counts[at] = (series.counts[at] ?? 0) + 1;
          if (span === undefined || (span.traceFlags & SAMPLED) === 0) return;
          series.exemplars ??= [];
          series.exemplars[at >= 0 ? at : buckets.length] = { span, value, time: clock.now() };
        },
      };
    },
    include(other: MetricsSource): void {
      const duplicate = other.names().find((name) => metrics.some((each) => each.name === name));
      if (duplicate !== undefined) throw duplicateError(duplicate);
      included.push(other);
    },
    names: () => metrics.map(({ name }) => name),
    beforeScrape: (each: () => void) => void beforeScrape.push(each),
    render(): string {
      update();
      return [...sortOwn().map(renderText), ...included.map((each) => each.render())].join("");
    },
    renderOpenMetrics(): string | undefined {
      const others = included.map((each) => each.renderOpenMetrics?.());
      if (others.includes(undefined)) return undefined;
      update();
      return [...sortOwn().map(renderOpenMetrics), ...others].join("");
    },
  };
}

const duplicateError = (name: string) => new InvalidUsage("PINTLE4009", `there are two metrics named ${name}`);

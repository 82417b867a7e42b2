import { InvalidUsage, type MetricsSource } from "../controller/index.ts";

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
  /** Adds an observation to a series. */
  observe(labels: MetricLabelValues, value: number): void;
}

interface MetricSeries {
  readonly labels: MetricLabelValues;
  value: number;
  /** Of a histogram: observations per bucket, and in total. */
  readonly counts: number[];
  count: number;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/** Metrics in the Prometheus text format. */
export interface MetricsRegistry extends MetricsSource {
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
export function createMetricsRegistry(): MetricsRegistry {
  const metrics: { readonly name: string; text(): string }[] = [];
  const beforeScrape: (() => void)[] = [];
  const included: MetricsSource[] = [];

  const family = (name: string, help: string, type: string, names: readonly string[], lines: (series: MetricSeries) => string[]) => {
    if (!NAME.test(name))
      throw new InvalidUsage("PINTLE4008", `${JSON.stringify(name)} is not a metric name: use letters, digits, "_" and ":"`);
    if (metrics.some((each) => each.name === name)) throw duplicateError(name);
    const all = new Map<string, MetricSeries>();
    metrics.push({
      name,
      text: () => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...[...all.values()].flatMap(lines)].join("\n"),
    });
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
  const formatSeries = (name: string, names: readonly string[]) => (series: MetricSeries) => [
    `${name}${formatLabels(names, series.labels)} ${formatNumber(series.value)}`,
  ];

  return {
    counter(name: string, help: string, labels: readonly string[] = []): Counter {
      const found = family(name, help, "counter", labels, formatSeries(name, labels));
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
      const found = family(name, help, "gauge", labels, formatSeries(name, labels));
      return {
        clear: found.clear,
        remove: found.remove,
        set(values, value) {
          found.of(values).value = value;
        },
      };
    },
    histogram(name: string, help: string, labels: readonly string[], buckets: readonly number[]): Histogram {
      const lines = ({ labels: values, value, counts, count }: MetricSeries) => {
        let sum = 0;
        const upTo = buckets.map((bound, i) => {
          sum += counts[i] ?? 0;
          return `${name}_bucket${formatLabels([...labels, "le"], [...values, formatNumber(bound)])} ${sum}`;
        });
        const all = formatLabels(labels, values);
        return [
          ...upTo,
          `${name}_bucket${formatLabels([...labels, "le"], [...values, "+Inf"])} ${count}`,
          `${name}_sum${all} ${formatNumber(value)}`,
          `${name}_count${all} ${count}`,
        ];
      };
      const found = family(name, help, "histogram", labels, lines);
      return {
        remove: found.remove,
        observe(values, value) {
          const series = found.of(values);
          series.value += value;
          series.count++;
          const at = buckets.findIndex((bound) => value <= bound);
          if (at >= 0) series.counts[at] = (series.counts[at] ?? 0) + 1;
        },
      };
    },
    include(other: MetricsSource): void {
      const duplicate = other.names().find((name) => metrics.some((each) => each.name === name));
      if (duplicate !== undefined) throw duplicateError(duplicate);
      included.push(other);
    },
    names: () => metrics.map(({ name }) => name),
    beforeScrape: (update: () => void) => void beforeScrape.push(update),
    render(): string {
      for (const update of beforeScrape) update();
      const own = metrics.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((metric) => `${metric.text()}\n`);
      return [...own, ...included.map((each) => each.render())].join("");
    },
  };
}

const duplicateError = (name: string) => new InvalidUsage("PINTLE4009", `there are two metrics named ${name}`);

function formatLabels(names: readonly string[], values: MetricLabelValues): string {
  if (names.length === 0) return "";
  return `{${names.map((name, i) => `${name}="${escapeLabelValue(values[i]!)}"`).join(",")}}`;
}
const escapeLabelValue = (value: string) => value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
const formatNumber = (value: number) => (Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : value < 0 ? "-Inf" : "NaN");

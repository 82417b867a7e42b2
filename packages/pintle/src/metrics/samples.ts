import type { SpanContext } from "../telemetry/index.ts";
import type { MetricLabelValues } from "./registry.ts";

/** The span of one observation. */
export interface Exemplar {
  readonly span: SpanContext;
  readonly value: number;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** The values of one combination of labels. */
export interface MetricSeries {
  readonly labels: MetricLabelValues;
  value: number;
  /** Of a histogram: observations per bucket, and in total. */
  readonly counts: number[];
  count: number;
  /** Of a histogram: the last exemplar per bucket, that above the highest bound last. Default: no span was sampled. */
  exemplars?: Exemplar[] | undefined;
}

/** A metric with its series, from which every format is rendered. */
export interface MetricFamilyState {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
  /** The bounds of a histogram; of other types none. */
  readonly buckets: readonly number[];
  readonly series: ReadonlyMap<string, MetricSeries>;
}

/** One line of a scrape. */
export interface Sample {
  readonly suffix: "" | "_bucket" | "_sum" | "_count";
  /** In braces; empty without labels. */
  readonly labels: string;
  readonly value: number;
  /** Whether it counts observations: always an integer. */
  readonly isCount: boolean;
  readonly exemplar?: Exemplar | undefined;
}

/** Returns the samples of all series. `formatNumber` formats the bounds of buckets. */
export function listSamples(family: MetricFamilyState, formatNumber: (value: number) => string): readonly Sample[] {
  return [...family.series.values()].flatMap((series) =>
    family.type === "histogram"
      ? listHistogramSamples(family, series, formatNumber)
      : [{ suffix: "" as const, labels: formatLabels(family.labels, series.labels), value: series.value, isCount: false }],
  );
}

function listHistogramSamples(
  { labels: names, buckets }: MetricFamilyState,
  { labels, value, counts, count, exemplars }: MetricSeries,
  formatNumber: (value: number) => string,
): readonly Sample[] {
  const bucket = (bound: string, upTo: number, i: number): Sample => ({
    suffix: "_bucket",
    labels: formatLabels([...names, "le"], [...labels, bound]),
    value: upTo,
    isCount: true,
    exemplar: exemplars?.[i],
  });
  let sum = 0;
  const bounded = buckets.map((bound, i) => {
    sum += counts[i] ?? 0;
    return bucket(formatNumber(bound), sum, i);
  });
  const all = formatLabels(names, labels);
  return [
    ...bounded,
    bucket("+Inf", count, buckets.length),
    { suffix: "_sum", labels: all, value, isCount: false },
    { suffix: "_count", labels: all, value: count, isCount: true },
  ];
}

function formatLabels(names: readonly string[], values: MetricLabelValues): string {
  if (names.length === 0) return "";
  return `{${names.map((name, i) => `${name}="${escapeQuoted(values[i]!)}"`).join(",")}}`;
}

/** Escapes text between double quotes. */
export const escapeQuoted = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

/** Formats a number as both formats do. */
export const formatNumber = (value: number): string =>
  Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : value < 0 ? "-Inf" : "NaN";

import { type Exemplar, escapeQuoted, formatNumber, listSamples, type MetricFamilyState } from "./samples.ts";

const TOTAL = "_total";

/**
 * Renders a metric in the OpenMetrics text format 1.0, with exemplars. As in client_golang, a counter is named without `_total` in its metadata, and
 * one that has no such suffix is of type unknown, because a counter without it is not valid.
 */
export function renderOpenMetrics(family: MetricFamilyState): string {
  const { name, help, type } = family;
  const isCounter = type === "counter";
  const isTotal = isCounter && name.endsWith(TOTAL);
  const title = isTotal ? name.slice(0, -TOTAL.length) : name;
  const samples = listSamples(family, formatFloat).map(
    ({ suffix, labels, value, isCount, exemplar }) =>
      `${name}${suffix}${labels} ${isCount ? value : formatFloat(value)}${exemplar === undefined ? "" : formatExemplar(exemplar)}\n`,
  );
  return `# HELP ${title} ${escapeQuoted(help)}\n# TYPE ${title} ${isCounter && !isTotal ? "unknown" : type}\n${samples.join("")}`;
}

/** A float is told from an integer by its point or exponent. */
function formatFloat(value: number): string {
  const text = formatNumber(value);
  return Number.isFinite(value) && !/[.e]/.test(text) ? `${text}.0` : text;
}

const formatExemplar = ({ span: { traceId, spanId }, value, time }: Exemplar) =>
  ` # {trace_id="${traceId}",span_id="${spanId}"} ${formatFloat(value)} ${(time / 1000).toFixed(3)}`;

import { formatNumber, listSamples, type MetricFamilyState } from "./samples.ts";

/** Renders a metric in the Prometheus text format 0.0.4, which has no exemplars. */
export function renderText(family: MetricFamilyState): string {
  const { name, help, type } = family;
  const samples = listSamples(family, formatNumber).map(
    ({ suffix, labels, value }) => `${name}${suffix}${labels} ${formatNumber(value)}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.join("")}`;
}

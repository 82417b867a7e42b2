/**
 * Builds the Helm chart of an operator. Input: the manifest context. Output: the chart's files keyed by path. Rendered with its default
 * values, the chart produces the same objects as `dist/install.yaml`.
 */
export { buildChart, CHART_FOLDER, TEMPLATES_FOLDER } from "./chart.ts";

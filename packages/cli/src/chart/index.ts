/**
 * The Helm chart of an operator. In comes what the manifests are made from; out come the chart's files by path, whose
 * rendering with the default values gives the same objects as `dist/install.yaml`.
 */
export { CHART, chart, TEMPLATES } from "./chart.ts";

/**
 * The metrics of the API server, under kube-apiserver's names. In come observations of requests, watches and admission, and the parts of a
 * running server that are read at a scrape (store, flow control); out goes the text of `/metrics`. `request-metrics.ts` has what is
 * counted per request, `admission-metrics.ts` what admission reports, `server-gauges.ts` what is read.
 */
export type { AdmissionMetrics } from "./admission-metrics.ts";
export type { RequestMetrics } from "./request-metrics.ts";
export type { GaugeSources } from "./server-gauges.ts";
export { createServerMetrics, METRICS_CONTENT_TYPE, type ServerMetrics } from "./server-metrics.ts";

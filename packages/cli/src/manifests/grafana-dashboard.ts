import type { JsonObject } from "pintle/kinds";
import type { ManifestContext } from "./context.ts";

/** Title, unit and queries of each panel. */
const PANELS: readonly (readonly [title: string, unit: string, queries: Readonly<Record<string, string>>])[] = [
  [
    "Reconciles per second",
    "ops",
    { "{{controller}} {{result}}": "sum(rate(controller_runtime_reconcile_total$J[$__rate_interval])) by (controller, result)" },
  ],
  [
    "Reconcile errors per second",
    "ops",
    { "{{controller}}": "sum(rate(controller_runtime_reconcile_errors_total$J[$__rate_interval])) by (controller)" },
  ],
  [
    "Reconcile duration",
    "s",
    {
      "{{controller}} p50":
        "histogram_quantile(0.5, sum(rate(controller_runtime_reconcile_time_seconds_bucket$J[$__rate_interval])) by (controller, le))",
      "{{controller}} p99":
        "histogram_quantile(0.99, sum(rate(controller_runtime_reconcile_time_seconds_bucket$J[$__rate_interval])) by (controller, le))",
    },
  ],
  ["Work queue depth", "short", { "{{controller}}": "sum(workqueue_depth$J) by (controller)" }],
  [
    "Work queue latency, p99",
    "s",
    {
      "{{controller}}":
        "histogram_quantile(0.99, sum(rate(workqueue_queue_duration_seconds_bucket$J[$__rate_interval])) by (controller, le))",
    },
  ],
  [
    "Plan steps per second",
    "ops",
    { "{{controller}} {{step}}": "sum(rate(pintle_plan_steps_total$J[$__rate_interval])) by (controller, step)" },
  ],
  [
    "API server requests per second",
    "reqps",
    { "{{method}} {{code}}": "sum(rate(rest_client_requests_total$J[$__rate_interval])) by (method, code)" },
  ],
  ["Seconds since the last watch event", "s", { "{{kind}}": "max(pintle_watch_age_seconds$J) by (kind)" }],
  ["Cached objects", "short", { "{{kind}}": "sum(pintle_cache_objects$J) by (kind)" }],
  ["Memory", "bytes", { "{{pod}}": "process_resident_memory_bytes$J" }],
];
const PANEL_WIDTH = 12;
const PANEL_HEIGHT = 8;

/** Builds a Grafana dashboard for the metrics that `run()` serves. */
export function buildDashboard({ project }: ManifestContext): JsonObject {
  const jobSelector = `{job="${project.name}-controller-manager-metrics-service"}`;
  return {
    title: `${project.name} operator`,
    uid: `pintle-${project.name}`.slice(0, 40),
    tags: ["pintle"],
    schemaVersion: 39,
    time: { from: "now-1h", to: "now" },
    templating: { list: [{ name: "datasource", type: "datasource", query: "prometheus" }] },
    panels: PANELS.map(([title, unit, queries], i) => ({
      id: i + 1,
      title,
      type: "timeseries",
      datasource: { type: "prometheus", uid: "$datasource" },
      gridPos: { x: (i % 2) * PANEL_WIDTH, y: Math.floor(i / 2) * PANEL_HEIGHT, w: PANEL_WIDTH, h: PANEL_HEIGHT },
      fieldConfig: { defaults: { unit }, overrides: [] },
      targets: Object.entries(queries).map(([legendFormat, query], j) => ({
        refId: String.fromCharCode(65 + j),
        expr: query.replaceAll("$J", jobSelector),
        legendFormat,
      })),
    })),
  };
}

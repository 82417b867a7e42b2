import type { JsonObject } from "pintle/kinds";
import type { Context } from "./context.ts";

/** What to look at first when an operator is slow or fails: title, unit, and the series of each panel. */
const PANELS: readonly (readonly [title: string, unit: string, queries: Readonly<Record<string, string>>])[] = [
  [
    "Reconciliations per second",
    "ops",
    { "{{controller}} {{result}}": "sum(rate(controller_runtime_reconcile_total$J[$__rate_interval])) by (controller, result)" },
  ],
  [
    "Failures per second",
    "ops",
    { "{{controller}}": "sum(rate(controller_runtime_reconcile_errors_total$J[$__rate_interval])) by (controller)" },
  ],
  [
    "Time per reconciliation",
    "s",
    {
      "{{controller}} p50":
        "histogram_quantile(0.5, sum(rate(controller_runtime_reconcile_time_seconds_bucket$J[$__rate_interval])) by (controller, le))",
      "{{controller}} p99":
        "histogram_quantile(0.99, sum(rate(controller_runtime_reconcile_time_seconds_bucket$J[$__rate_interval])) by (controller, le))",
    },
  ],
  ["Objects waiting", "short", { "{{controller}}": "sum(workqueue_depth$J) by (controller)" }],
  [
    "Time waited while ready, p99",
    "s",
    {
      "{{controller}}":
        "histogram_quantile(0.99, sum(rate(workqueue_queue_duration_seconds_bucket$J[$__rate_interval])) by (controller, le))",
    },
  ],
  ["What plans did", "ops", { "{{controller}} {{step}}": "sum(rate(pintle_plan_steps_total$J[$__rate_interval])) by (controller, step)" }],
  [
    "Requests to the API server",
    "reqps",
    { "{{method}} {{code}}": "sum(rate(rest_client_requests_total$J[$__rate_interval])) by (method, code)" },
  ],
  ["Seconds since the server was last heard", "s", { "{{kind}}": "max(pintle_watch_age_seconds$J) by (kind)" }],
  ["Objects in the cache", "short", { "{{kind}}": "sum(pintle_cache_objects$J) by (kind)" }],
  ["Memory", "bytes", { "{{pod}}": "process_resident_memory_bytes$J" }],
];
const WIDTH = 12;
const HEIGHT = 8;

/** A Grafana dashboard of the metrics that `run()` serves; ready to import. */
export function dashboard({ project }: Context): JsonObject {
  const of = `{job="${project.name}-controller-manager-metrics-service"}`;
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
      gridPos: { x: (i % 2) * WIDTH, y: Math.floor(i / 2) * HEIGHT, w: WIDTH, h: HEIGHT },
      fieldConfig: { defaults: { unit }, overrides: [] },
      targets: Object.entries(queries).map(([legendFormat, query], j) => ({
        refId: String.fromCharCode(65 + j),
        expr: query.replaceAll("$J", of),
        legendFormat,
      })),
    })),
  };
}

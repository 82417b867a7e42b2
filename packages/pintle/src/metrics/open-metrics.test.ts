import { context, trace } from "@opentelemetry/api";
import { AlwaysOffSampler, InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { afterEach, expect, test } from "vitest";
import { virtualClock } from "../clock/index.ts";
import { createMetricsRegistry } from "./registry.ts";

const exporter = new InMemorySpanExporter();
afterEach(() => {
  trace.disable();
  context.disable();
  exporter.reset();
});
const register = (options: object = {}) =>
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)], ...options }).register();
/** Runs work in a span, and returns its ids as an exemplar has them. */
function inSpan(work: () => void): string {
  return trace.getTracer("test").startActiveSpan("work", (span) => {
    work();
    span.end();
    const { traceId, spanId } = span.spanContext();
    return `{trace_id="${traceId}",span_id="${spanId}"}`;
  });
}

test("OpenMetrics names counters without _total in their metadata, and writes floats with a point", () => {
  const metrics = createMetricsRegistry();
  metrics.counter("jobs_total", 'Jobs of "all" kinds\\', ["queue"]).add(['a"\n\\'], 3);
  metrics.counter("odd", "Without the suffix").add([]);
  metrics.gauge("depth", "Depth").set([], 1.5);
  metrics.gauge("limit", "Limit").set([], Number.POSITIVE_INFINITY);
  const seconds = metrics.histogram("took_seconds", "Duration", [], [1e-8, 1]);
  for (const value of [1, 2.5]) seconds.observe([], value);
  expect(metrics.renderOpenMetrics()).toBe(`# HELP depth Depth
# TYPE depth gauge
depth 1.5
# HELP jobs Jobs of \\"all\\" kinds\\\\
# TYPE jobs counter
jobs_total{queue="a\\"\\n\\\\"} 3.0
# HELP limit Limit
# TYPE limit gauge
limit +Inf
# HELP odd Without the suffix
# TYPE odd unknown
odd 1.0
# HELP took_seconds Duration
# TYPE took_seconds histogram
took_seconds_bucket{le="1e-8"} 0
took_seconds_bucket{le="1.0"} 1
took_seconds_bucket{le="+Inf"} 2
took_seconds_sum 3.5
took_seconds_count 2
`);
});

test("the last sampled span of every bucket is its exemplar, and the plain text format has none", () => {
  register();
  const clock = virtualClock();
  const metrics = createMetricsRegistry({ clock });
  const seconds = metrics.histogram("took_seconds", "Duration", ["name"], [0.1, 1]);
  const time = (clock.now() / 1000).toFixed(3);
  seconds.observe(["a"], 0.01);
  expect(metrics.renderOpenMetrics()).not.toContain(" # {");
  inSpan(() => seconds.observe(["a"], 0.02));
  const [second, above] = [inSpan(() => seconds.observe(["a"], 0.05)), inSpan(() => seconds.observe(["a"], 7))];
  seconds.observe(["a"], 0.03);
  expect(exporter.getFinishedSpans()).toHaveLength(3);
  expect(metrics.renderOpenMetrics()?.split("\n").slice(2, 5)).toEqual([
    `took_seconds_bucket{name="a",le="0.1"} 4 # ${second} 0.05 ${time}`,
    'took_seconds_bucket{name="a",le="1.0"} 4',
    `took_seconds_bucket{name="a",le="+Inf"} 5 # ${above} 7.0 ${time}`,
  ]);
  expect(metrics.render()).toBe(`# HELP took_seconds Duration
# TYPE took_seconds histogram
took_seconds_bucket{name="a",le="0.1"} 4
took_seconds_bucket{name="a",le="1"} 4
took_seconds_bucket{name="a",le="+Inf"} 5
took_seconds_sum{name="a"} 7.11
took_seconds_count{name="a"} 5
`);
});

test("a span that is not sampled is no exemplar: its trace does not exist", () => {
  register({ sampler: new AlwaysOffSampler() });
  const metrics = createMetricsRegistry();
  const seconds = metrics.histogram("took_seconds", "Duration", [], [1]);
  inSpan(() => seconds.observe([], 0.5));
  expect(metrics.renderOpenMetrics()).not.toContain("trace_id");
});

test("a source that has no OpenMetrics text leaves the registry without one", () => {
  const metrics = createMetricsRegistry();
  const other = createMetricsRegistry();
  other.gauge("other", "Other").set([], 1);
  metrics.include(other);
  expect(metrics.renderOpenMetrics()).toBe("# HELP other Other\n# TYPE other gauge\nother 1.0\n");
  metrics.include({ names: () => ["foreign"], render: () => "foreign 1\n" });
  expect(metrics.renderOpenMetrics()).toBeUndefined();
  expect(metrics.render()).toContain("foreign 1\n");
});

import { createMetricsRegistry, type MetricsRegistry } from "pintle/internal/metrics";
import type { VersionInfo } from "../api/index.ts";
import { type AdmissionMetrics, createAdmissionMetrics } from "./admission-metrics.ts";
import { createRequestMetrics, type RequestMetrics } from "./request-metrics.ts";
import { type GaugeSources, registerServerGauges } from "./server-gauges.ts";

export const METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

/** The metrics of one API server. They outlive a restart of the server in the same process. */
export interface ServerMetrics {
  readonly requests: RequestMetrics;
  readonly admission: AdmissionMetrics;
  /** Returns the text of a scrape. */
  render(): string;
}

/** Creates the metrics of an API server; `sources` is called at each scrape. */
export function createServerMetrics(version: VersionInfo, sources: () => GaugeSources): ServerMetrics {
  const registry = createMetricsRegistry();
  registerBuildInfo(registry, version);
  registerProcessMetrics(registry);
  registerServerGauges(registry, sources);
  return { requests: createRequestMetrics(registry), admission: createAdmissionMetrics(registry), render: registry.render };
}

const BUILD_LABELS = ["build_date", "compiler", "git_commit", "git_tree_state", "git_version", "go_version", "major", "minor", "platform"];

function registerBuildInfo(registry: MetricsRegistry, { major, minor, gitVersion }: VersionInfo): void {
  const platform = `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`;
  const info = registry.gauge("kubernetes_build_info", "The Kubernetes version that the server is compatible with; always 1", BUILD_LABELS);
  info.set(["", "", "", "clean", gitVersion, "", major, minor, platform], 1);
}

function registerProcessMetrics(registry: MetricsRegistry): void {
  const cpu = registry.counter("process_cpu_seconds_total", "Seconds of CPU used by the process");
  const resident = registry.gauge("process_resident_memory_bytes", "Resident memory of the process");
  const started = registry.gauge("process_start_time_seconds", "When the process started, in seconds since 1970");
  const heap = registry.gauge("nodejs_heap_size_used_bytes", "V8 heap in use");
  started.set([], Math.round(Date.now() / 1000 - process.uptime()));
  registry.beforeScrape(() => {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    cpu.set([], (user + system) / 1e6);
    resident.set([], rss);
    heap.set([], heapUsed);
  });
}

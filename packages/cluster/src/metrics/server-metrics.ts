import { createMetricsRegistry, type MetricsRegistry, registerProcessMetrics } from "pintle/internal/metrics";
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

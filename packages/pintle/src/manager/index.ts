/**
 * The manager: controllers as a process. Start and stop order, leader election, health, metrics, tracing, webhooks.
 *
 * In: declared controllers and access to a cluster. Out: a handle (`startManager`) or a process that runs until a signal (`run`).
 * `start-parts.ts` holds the start and stop order; `leader-election/` the lease and the leader's write gate; `serving/` the HTTP endpoints; `metrics/` the
 * metrics of a manager. The sub-folders are private to this folder.
 */
export {
  type Counter,
  createMetricsRegistry,
  type Gauge,
  type Histogram,
  type MetricFamily,
  type MetricLabelValues,
  type MetricsRegistry,
} from "../metrics/index.ts";
export type { CertificateFiles } from "../tls/index.ts";
export { collectResources } from "./collect-resources.ts";
export type { ConsoleEndpoint, ConsoleHost } from "./console-endpoint.ts";
export { createLogger, createStderrLogger, type LoggerOptions, type LogLevel } from "./create-logger.ts";
export { DEFAULTS } from "./defaults.ts";
export { DESCRIBE_HOOK, type DescribeHook } from "./describe-hook.ts";
export { createLeaderElector, type LeaderCallbacks, type LeaderElector, type LeaseTimings } from "./leader-election/leader-elector.ts";
export type {
  LeaderElectionOptions,
  ManagerOptions,
  MetricsServerOptions,
  WebhookServerOptions,
} from "./options.ts";
export { derivePermissions, type OperatorPermissions } from "./permissions.ts";
export { createProcessRecorder } from "./process-recorder.ts";
export { run } from "./run.ts";
export { openServingCertificate } from "./serving/certificate.ts";
export { serveHealth } from "./serving/endpoints.ts";
export { createExpiringCache } from "./serving/expiring-cache.ts";
export { type HttpListener, type ListenAddress, parseListenAddress } from "./serving/http-server.ts";
export type { HealthChecks } from "./serving/probes.ts";
export { type ControllerQueue, type Manager, startManager } from "./start-manager.ts";

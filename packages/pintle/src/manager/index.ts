/**
 * run(): controllers as a process. Start and stop in order, signals, health, metrics, leader election.
 *
 * In: controllers as values, and how to reach a cluster. Out: a handle (`start`) or a process that ends when it should (`run`).
 */
export type { CertificateFiles } from "../tls/index.ts";
export { DESCRIBE, type Describe } from "./described.ts";
export { type Level, type LogOptions, logLines } from "./log-lines.ts";
export type { LeaderElection, MetricsOptions, StartOptions, WebhookServerOptions } from "./options.ts";
export { type Permissions, permissions } from "./permissions.ts";
export { type Counter, type Gauge, type Histogram, type LabelValues, type Registry, registry } from "./registry.ts";
export { resourcesOf } from "./resources-of.ts";
export { run } from "./run.ts";
export { type Manager, start } from "./start.ts";

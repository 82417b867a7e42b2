/**
 * Wiring of a cluster: `startCluster` opens the store, starts the API server, its listeners and the control plane, and returns a `Cluster`.
 * Options come in; the running cluster goes out. Every other folder of the package is assembled here, and only the package's entry points
 * and the drop-in programs import this one.
 */
export type { FieldOrigin } from "./blame-fields.ts";
export type { Cluster, ClusterClientOptions, ClusterNode, ClusterServer } from "./cluster.ts";
export type {
  ClusterAdmissionOptions,
  ClusterOptions,
  ClusterSnapshot,
  HttpsOptions,
  ServerLimits,
  ServiceAccountOptions,
} from "./cluster-options.ts";
export type { CommitTimes } from "./commit-times.ts";
export { type ClusterCredentials, createClusterCredentials } from "./credentials.ts";
export type { ObjectChangeSummary, PastCluster } from "./past-cluster.ts";
export { decodeSnapshot, encodeSnapshot } from "./snapshot-file.ts";
export { startCluster } from "./start-cluster.ts";
export type { WhyOptions } from "./why.ts";

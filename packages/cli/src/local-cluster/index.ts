/**
 * Embedded clusters and registries that run on this machine for one user. `serveCluster` runs a cluster in this process;
 * `findRunningCluster` finds one that another process runs. They communicate over the loopback interface with a token that only the user
 * can read, so a process that reuses an old port is never mistaken for a cluster.
 */

export { formatWhyVerb, type WhyQuestion } from "./explain-request.ts";
export { startLocalLifecycleManager } from "./local-lifecycle-manager.ts";
export { type RegistryServer, startRegistryServer } from "./registry-server.ts";
export { findRunningCluster, type RunningCluster } from "./running-cluster.ts";
export { type ServeClusterOptions, serveCluster } from "./serve-cluster.ts";
export { serveRecording } from "./serve-recording.ts";

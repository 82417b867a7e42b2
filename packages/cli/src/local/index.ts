/**
 * Clusters and registries that this machine runs for one user. `attend` keeps a cluster up and answers for it; `running`
 * finds one that another process keeps up. They talk over loopback with a secret that only the user can read, so a process
 * that took an old number is never mistaken for a cluster.
 */
export { type Attended, attend } from "./attend.ts";
export { type RegistryServer, registryServer } from "./registry-server.ts";
export { type Running, running } from "./running.ts";
export { readSnapshot, snapshotText } from "./snapshot-file.ts";

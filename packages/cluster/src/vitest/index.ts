/**
 * For tests with vitest. Comes in: what kind of cluster a test file needs. Goes out: a cluster, a client and their end in one
 * line, as fixtures (`clusterTest`), as hooks (`useCluster`), one cluster for all files (`sharedCluster`, `sharedTest`),
 * or whatever cluster there is (`serverTest`).
 * When a test fails, what its cluster saw is printed beside the failure.
 */
export { type ClusterFixtures, type ClusterTestOptions, clusterTest } from "./cluster-test.ts";
export { sawText } from "./saw-text.ts";
export { type ServerFixtures, type ServerTestOptions, serverTest } from "./server-test.ts";
export { type SharedFixtures, sharedCluster, sharedTest } from "./shared.ts";
export { type UsedCluster, useCluster } from "./use-cluster.ts";

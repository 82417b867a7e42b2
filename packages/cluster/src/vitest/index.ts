/**
 * Fixtures for vitest. The options of a cluster come in; a cluster, a client and their cleanup go out: as fixtures (`clusterTest`), as
 * hooks (`useCluster`), as one cluster shared by all test files (`sharedCluster`, `sharedTest`), or on an existing cluster
 * (`serverTest`). With the option `operator`, the operator under test runs on the cluster with its CRDs, permissions, webhooks and conversions. When a test fails, a report of the cluster's requests, events and pods is printed with the failure.
 */

export { formatClusterReport } from "./cluster-report.ts";
export { type ClusterFixtures, type ClusterTestOptions, clusterTest, type OperatorFixtures } from "./cluster-test.ts";
export type { OperatorOption, OperatorTestOptions } from "./operator-under-test.ts";
export { accepts, refuses, type SchemaCheckOptions, unrefusedRules } from "./schema-rules/accepts.ts";
export { type RuleCoverageOptions, requireRuleCoverage } from "./schema-rules/require-rule-coverage.ts";
export { type ServerFixtures, type ServerTestOptions, serverTest } from "./server-test.ts";
export { type SharedFixtures, sharedCluster, sharedTest, type VitestProject } from "./shared-cluster.ts";
export { type TestCluster, useCluster } from "./use-cluster.ts";

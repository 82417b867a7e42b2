/**
 * Works on a cluster: connects as kubectl does, asks for confirmation before a remote cluster is changed, applies, compares and deletes
 * objects. Input: objects. Output: the outcome for each.
 */
export {
  type ApplyOutcome,
  applyObject,
  deleteObject,
  FIELD_MANAGER,
  formatObjectName,
  formatOutcome,
  resolveKind,
  waitUntilDeleted,
} from "./apply.ts";
export {
  CLUSTER_OPTION_DESCRIPTIONS,
  CLUSTER_OPTIONS,
  confirmChange,
  connectToCluster,
  locateCluster,
  READ_OPTION_DESCRIPTIONS,
  READ_OPTIONS,
  type TargetCluster,
} from "./connect.ts";
export { type CustomResourceList, deleteCustomResources, listCustomResources } from "./custom-resources.ts";
export { diffFields, diffObject, type FieldChange, type ObjectDiff } from "./diff.ts";
export { installCrds } from "./install-crds.ts";
export { findOperatorPod, type OperatorEndpoint, openPodEndpoint, openUrlEndpoint, requestUserToken } from "./operator-endpoint.ts";
export { formatPods, listOperatorPods, type OperatorPod, SIMULATED_NOTICE } from "./operator-pods.ts";
export { waitForDeployment } from "./wait-for-deployment.ts";

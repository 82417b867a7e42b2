/**
 * Whether a CRD can be replaced without harm to stored objects and clients: with the rules of crdify as OLM v1 configures them, with the rules
 * of what breaks stored objects, and by a check of the stored objects themselves.
 *
 * In: two CRDs, and pages of objects. Out: problems with path, rule and text. Pure, but for the reader of pages from a cluster.
 */
export { type BreakingChange, findBreakingCrdChanges } from "./breaking-changes.ts";
export { type CrdUpgradeProblem, checkCrdUpgrade, formatCrdUpgradeProblems } from "./check-crd-upgrade.ts";
export { createStoredObjectReader } from "./stored-object-reader.ts";
export {
  checkStoredObjects,
  type ReadStoredObjects,
  type RefusedObject,
  type StoredObjectPage,
  type StoredObjectProblem,
  type StoredObjectsCheck,
  type StoredObjectsReport,
  type UncheckedVersion,
} from "./stored-objects.ts";

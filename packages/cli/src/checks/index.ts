/**
 * Checks manifests without a cluster: validates CRDs as an API server would (CEL rules are compiled and costed), validates samples against
 * their schemas, and finds CRD changes that break stored objects.
 */
export { type BreakingChange, findBreakingCrdChanges } from "./breaking-changes.ts";
export { findCrdProblems } from "./crd-problems.ts";
export { findSampleProblems } from "./sample-problems.ts";

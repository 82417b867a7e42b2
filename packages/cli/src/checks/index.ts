/**
 * Checks manifests without a cluster: validates CRDs as an API server would (CEL rules are compiled and costed), and samples against
 * their schemas.
 */
export { findCrdProblems } from "./crd-problems.ts";
export { findSampleProblems } from "./sample-problems.ts";

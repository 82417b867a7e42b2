/**
 * What can be said about manifests before a cluster sees them: definitions as an API server would judge them, CEL rules
 * compiled and costed; samples against their schemas; and what a change of a definition would do to stored objects.
 */
export { type Breaking, breakingChanges } from "./breaking-changes.ts";
export { crdProblems } from "./crd-problems.ts";
export { sampleProblems } from "./sample-problems.ts";

/**
 * An operator's project: where it is, what its `pintle.config.ts` says, and what its code declares. In comes a folder;
 * out come plain values. The operator is imported in another process, never started.
 */
export { bundle, bundling, sentence } from "./bundle.ts";
export type { Config, Resources } from "./config.ts";
export { describe } from "./describe.ts";
export { findProject, nearest, type Project } from "./find-project.ts";
export { CONDITIONS, NODE_FLAGS } from "./node-flags.ts";
export type { Operator, Resource } from "./operator.ts";
export { operatorOf } from "./operator-of.ts";
export { placed, serviceOf } from "./placed.ts";
export { SAMPLES, samplesOf } from "./samples.ts";
export { sourcesOf } from "./sources.ts";

/**
 * Reads an operator's project: its location, its `pintle.config.ts` and what its code declares. Input: a folder. Output: plain data. The
 * operator's code is imported in a child process and never started.
 */
export { bundle, bundleOptions, formatBuildMessage } from "./bundle.ts";
export type { Config, ContainerResources, EnvironmentSource, EnvironmentValue, OlmConfig, ProbeSettings, Volume } from "./config.ts";
export { buildServiceEndpoint, withConversionEndpoint } from "./conversion-endpoint.ts";
export { describeProject } from "./describe-project.ts";
export { diffFiles, type FileChange, writeChanges } from "./file-changes.ts";
export { findProject, findProjectRoot, type Project } from "./find-project.ts";
export { BUNDLE_CONDITIONS, NODE_FLAGS } from "./node-flags.ts";
export type { KindName, OperatorDescription, ResourceDescription } from "./operator.ts";
export { operatorFromOptions } from "./operator-from-options.ts";
export { replayInProject } from "./replay-in-project.ts";
export { listSamples, SAMPLES_FOLDER } from "./samples.ts";
export { readSources } from "./sources.ts";

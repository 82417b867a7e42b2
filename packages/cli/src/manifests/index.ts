/**
 * Renders everything that a cluster needs to run an operator, as objects and as files. Input: a project and the description of its
 * operator. Output: file contents keyed by path. Reads and writes no files; equal inputs produce equal bytes.
 */

export { GENERATED_FOLDERS, renderConfigLayout, renderKustomization } from "./config-layout.ts";
export type { ManifestContext } from "./context.ts";
export { DEPLOY_FOLDER, renderDeployLayout } from "./deploy-layout.ts";
export { sortForInstall } from "./install-order.ts";
export type { ConfigFolder, Manifest } from "./manifest.ts";
export { buildManifests, deployedFolders } from "./manifests.ts";
export { buildScheduling, defaultTopologySpread } from "./pod-settings.ts";
export { parseYaml, toYaml } from "./yaml.ts";

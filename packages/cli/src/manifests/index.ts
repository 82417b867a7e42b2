/**
 * Manifests: everything a cluster must be given to run an operator, as objects and as files. In come a project and what
 * its operator declares; out come texts by path. Nothing here reads or writes a file, and the same input gives the
 * same bytes.
 */
export type { Context } from "./context.ts";
export { DEPLOY, deployLayout } from "./deploy-layout.ts";
export { installOrder } from "./install-order.ts";
export { kustomization, layout, OURS } from "./layout.ts";
export type { Manifest, Part } from "./manifest.ts";
export { deployed, manifests } from "./manifests.ts";
export { readYaml, yamlOf } from "./yaml.ts";

/**
 * A real Kubernetes control plane for tests: etcd and kube-apiserver, and on request the controller
 * manager, the scheduler and simulated nodes. `npm run real:build` builds the programs from the Go
 * module proxy into a cache folder, `npm run real:up` runs them interactively, and this module is for
 * tests: options in, a kubeconfig out.
 */

export { type Binaries, binaries, binary, buildCommand } from "./binaries.ts";
export { COMPATIBILITY_PROGRAMS, type Program } from "./build/recipes.ts";
export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";
export type { Definition } from "./objects/definitions.ts";
export { ProgramEnded } from "./programs/supervisor.ts";
export { isOlderKubernetes, KUBERNETES_VARIABLE, selectedKubernetes, versions } from "./versions.ts";

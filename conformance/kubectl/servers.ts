import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "@pintle/cluster";
import type { Chapter } from "../../packages/cluster/test/kubectl/chapter.ts";
import { disableAdmissionPlugins } from "../builtin/admission.ts";
import { startControlPlane } from "../real/index.ts";

export interface Server extends AsyncDisposable {
  /** The path of one with all rights. */
  readonly kubeconfig: string;
}
export type Start = (on: Chapter["on"]) => Promise<Server>;

/** A kube-apiserver, with controllers, scheduler and a node where the chapter needs them. */
export const real: Start = (on) => startControlPlane({ disableAdmissionPlugins, ...(on === "api" ? {} : { nodes: 1 }) });

/** Ours, over HTTPS. */
export const embedded: Start = async (on) => {
  const folder = await mkdtemp(join(tmpdir(), "pintle-kubectl-"));
  const cluster = await startCluster(on === "api" ? { http: true, without: true } : { http: true });
  const kubeconfig = join(folder, "kubeconfig");
  await cluster.writeKubeconfig(kubeconfig);
  await cluster.ready;
  return {
    kubeconfig,
    async [Symbol.asyncDispose]() {
      await cluster.stop();
      await rm(folder, { recursive: true });
    },
  };
};

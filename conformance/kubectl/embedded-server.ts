import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "@pintle/cluster";
import type { Start } from "./server.ts";

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

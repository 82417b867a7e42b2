import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startCluster } from "@pintle/cluster";
import { startControlPlane } from "../real/index.ts";
import { full, seed } from "../sampling.ts";

export interface CliServer {
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

const startReal = (): Promise<CliServer> => startControlPlane({ controllerManager: true, scheduler: true, nodes: 1 });

export async function startEmbedded(): Promise<CliServer> {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-cli-"));
  const cluster = await startCluster({ http: true });
  const kubeconfig = path.join(folder, "kubeconfig");
  await cluster.writeKubeconfig(kubeconfig);
  const stop = async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true });
  };
  return { kubeconfig, stop };
}

/** A sample run uses one of the servers, because these tests wait for namespaces and finalizers. */
export const servers = [
  { name: "the embedded cluster", start: startEmbedded },
  { name: "a real control plane", start: startReal },
].filter((_, i) => full || i === seed % 2);

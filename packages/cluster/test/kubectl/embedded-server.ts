import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "../../src/index.ts";
import { startOperator } from "./operator.ts";
import type { ScenarioServer, StartServer } from "./scenario-server.ts";

/** Starts the embedded cluster, over HTTPS. */
export const startEmbeddedServer: StartServer = async (on) => {
  const folder = await mkdtemp(join(tmpdir(), "pintle-kubectl-"));
  const cluster = await startCluster(on === "api" ? { http: true, without: true } : { http: true });
  const kubeconfig = join(folder, "kubeconfig");
  await cluster.writeKubeconfig(kubeconfig);
  await cluster.ready;
  const server: ScenarioServer = {
    kubeconfig,
    async [Symbol.asyncDispose]() {
      await cluster.stop();
      await rm(folder, { recursive: true });
    },
  };
  return on === "operator" ? startOperator(server) : server;
};

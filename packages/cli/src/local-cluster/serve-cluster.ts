import { rmSync } from "node:fs";
import type { Cluster } from "@pintle/cluster";
import { encodeSnapshot } from "@pintle/cluster/internal/cluster";
import { CommandError } from "../command/index.ts";
import { type ControlRequest, startControlServer } from "./control-server.ts";
import { respondWithExplanation } from "./explain-request.ts";
import { findRunningCluster } from "./running-cluster.ts";
import { removeState, writeState } from "./state-file.ts";

export interface ServeClusterOptions {
  /** Identifies the cluster for other commands. */
  readonly kubeconfig: string;
  /** Starts the cluster; `at` is its previous address after a reset. */
  startCluster(at: string | undefined): Promise<Cluster>;
  /** Deletes the stored objects while the cluster is stopped; undefined if the store cannot be wiped. */
  readonly wipeData: (() => void) | undefined;
  /** Called when the cluster is up. */
  onReady(cluster: Cluster): void;
  /** Whether to keep the kubeconfig when the cluster stops, because the same cluster can be started again. */
  readonly keepKubeconfig: boolean;
  readonly signal: AbortSignal;
}

/** Runs a cluster until the signal aborts or another process requests a stop. */
export async function serveCluster({
  kubeconfig,
  startCluster,
  wipeData,
  onReady,
  keepKubeconfig,
  signal,
}: ServeClusterOptions): Promise<void> {
  if ((await findRunningCluster(kubeconfig)) !== undefined) {
    throw new CommandError(
      "PINTLE7085",
      `a cluster is already running for kubeconfig ${kubeconfig}: stop it with 'pintle cluster down', or use another --kubeconfig`,
    );
  }
  let cluster: Cluster | undefined = await startCluster(undefined);
  let stopRequest: ControlRequest | undefined;
  let isKubeconfigWritten = false;
  try {
    await using controlServer = await startControlServer();
    try {
      await writeKubeconfig(cluster, kubeconfig);
      isKubeconfigWritten = true;
      writeState(kubeconfig, { control: controlServer.address, token: controlServer.token, url: cluster.url });
      onReady(cluster);
      while (stopRequest === undefined) {
        const request: ControlRequest = await controlServer.nextRequest(signal);
        if (request.verb === "stop") stopRequest = request;
        else if (request.verb === "snapshot") respondWithSnapshot(cluster, request);
        else if (request.verb.startsWith("why?")) await respondWithExplanation(cluster, request);
        else if (request.verb === "reset" && wipeData === undefined)
          request.fail("the objects are stored in an external etcd: delete them there");
        else if (request.verb === "reset") {
          const { url } = cluster;
          try {
            await cluster.stop();
            cluster = undefined;
            wipeData?.();
            cluster = await startCluster(url);
            await writeKubeconfig(cluster, kubeconfig);
            writeState(kubeconfig, { control: controlServer.address, token: controlServer.token, url: cluster.url });
          } catch (error) {
            // There is no cluster any more, so the process ends; the client learns why.
            request.fail((error as Error).message);
            throw error;
          }
          request.succeed(cluster.url);
        } else if (request.verb === "ping") request.succeed(cluster.url);
        else request.fail(`unknown request: ${request.verb}`);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      if (isKubeconfigWritten) removeState(kubeconfig, controlServer.token);
      if (isKubeconfigWritten && !keepKubeconfig) rmSync(kubeconfig, { force: true });
      await cluster?.stop();
      cluster = undefined;
      stopRequest?.succeed();
    }
  } finally {
    await cluster?.stop();
  }
}

/** The cluster is unaffected if a snapshot fails, for example because it is longer than a string can be. */
function respondWithSnapshot(cluster: Cluster, request: ControlRequest): void {
  let text: string;
  try {
    text = encodeSnapshot(cluster.snapshot());
  } catch (error) {
    request.fail(`the snapshot failed: ${(error as Error).message}`);
    return;
  }
  request.succeed(text);
}

async function writeKubeconfig(cluster: Cluster, kubeconfig: string): Promise<void> {
  await cluster.writeKubeconfig(kubeconfig).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError("PINTLE7087", `cannot write kubeconfig ${kubeconfig} (${error.code}): use another --kubeconfig`);
  });
}

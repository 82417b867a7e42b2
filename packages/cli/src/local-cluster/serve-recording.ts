import type { Cluster } from "@pintle/cluster";
import { ignoreError, runInBackground } from "pintle/internal/errors";
import { startControlServer } from "./control-server.ts";
import { respondWithExplanation } from "./explain-request.ts";
import { removeState, writeState } from "./state-file.ts";

/** Answers 'pintle why' about a cluster of this process, until disposed. The cluster itself belongs to the caller, so it is not stopped from outside. */
export async function serveRecording(cluster: Cluster, kubeconfig: string): Promise<AsyncDisposable> {
  const controlServer = await startControlServer();
  const stopped = new AbortController();
  writeState(kubeconfig, { control: controlServer.address, token: controlServer.token, url: cluster.url });
  const serve = async () => {
    for (;;) {
      const request = await controlServer.nextRequest(stopped.signal);
      if (request.verb === "ping") request.succeed(cluster.url);
      else if (request.verb.startsWith("why?")) await respondWithExplanation(cluster, request);
      else request.fail("the cluster belongs to 'pintle dev': end it there");
    }
  };
  runInBackground(serve(), ignoreError);
  return {
    async [Symbol.asyncDispose]() {
      removeState(kubeconfig, controlServer.token);
      stopped.abort(new Error("the cluster is stopping"));
      await controlServer[Symbol.asyncDispose]();
    },
  };
}

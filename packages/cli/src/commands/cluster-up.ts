import { rmSync } from "node:fs";
import path from "node:path";
import { startCluster } from "@pintle/cluster";
import type { Command } from "../command.ts";

export const clusterUp: Command = {
  name: "cluster up",
  summary: "Start an embedded Kubernetes cluster and stay until Ctrl-C.",
  usage: "[--kubeconfig FILE] [--port N]",
  options: { kubeconfig: { type: "string" }, port: { type: "string" } },
  about: { kubeconfig: "where to write the kubeconfig (default: .pintle/kubeconfig)", port: "port to listen on (default: a free one)" },
  examples: ["pintle cluster up", "pintle cluster up --kubeconfig /tmp/dev.kubeconfig --port 6443"],
  async run({ values }, io) {
    const kubeconfig = path.resolve(io.cwd, String(values["kubeconfig"] ?? ".pintle/kubeconfig"));
    const cluster = await startCluster({ http: values["port"] === undefined ? true : Number(values["port"]) });
    try {
      await cluster.writeKubeconfig(kubeconfig);
      io.out(
        `cluster at ${cluster.url}\n\n  kubectl --kubeconfig ${path.relative(io.cwd, kubeconfig)} get namespaces\n\nCtrl-C stops it.\n`,
      );
      await new Promise<void>((resolve) => {
        if (io.signal.aborted) resolve();
        io.signal.addEventListener("abort", () => resolve(), { once: true });
      });
    } finally {
      rmSync(kubeconfig, { force: true });
      await cluster.stop();
    }
  },
};

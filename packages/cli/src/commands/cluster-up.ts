import { rmSync } from "node:fs";
import path from "node:path";
import { startCluster } from "@pintle/cluster";
import { type Command, CommandError } from "../command.ts";
import { storeChoice } from "./store-choice.ts";

export const clusterUp: Command = {
  name: "cluster up",
  summary: "Start an embedded Kubernetes cluster and stay until Ctrl-C.",
  usage: "[--kubeconfig FILE] [--port N] [--data DIR [--fsync] | --etcd-servers URL[,URL]]",
  options: {
    kubeconfig: { type: "string" },
    port: { type: "string" },
    data: { type: "string" },
    fsync: { type: "boolean" },
    "etcd-servers": { type: "string" },
    "etcd-prefix": { type: "string" },
    "etcd-cafile": { type: "string" },
    "etcd-certfile": { type: "string" },
    "etcd-keyfile": { type: "string" },
  },
  about: {
    kubeconfig: "where to write the kubeconfig (default: .pintle/kubeconfig)",
    port: "port to listen on (default: the one of last time, or a free one)",
    data: "folder to keep objects and keys in: they are there again at the next start (default: in memory only)",
    fsync: "with --data: answer a write only when it survives a power cut",
    "etcd-servers": "keep objects in etcd (3.5 or newer) instead: its addresses, with commas",
    "etcd-prefix": "what keys in etcd begin with (default: /registry)",
    "etcd-cafile": "certificate of the authority that etcd is trusted by",
    "etcd-certfile": "certificate to show to etcd",
    "etcd-keyfile": "its private key",
  },
  examples: [
    "pintle cluster up",
    "pintle cluster up --kubeconfig /tmp/dev.kubeconfig --port 6443",
    "pintle cluster up --data .pintle/data --fsync",
    "pintle cluster up --etcd-servers http://127.0.0.1:2379",
    "pintle cluster up --etcd-servers https://10.0.0.1:2379,https://10.0.0.2:2379 --etcd-cafile ca.crt --etcd-certfile client.crt --etcd-keyfile client.key",
  ],
  async run({ values }, io) {
    const kubeconfig = path.resolve(io.cwd, String(values["kubeconfig"] ?? ".pintle/kubeconfig"));
    const { store, where } = storeChoice(values, io.cwd);
    const cluster = await startCluster({ http: portOf(values["port"]), store });
    try {
      await cluster.writeKubeconfig(kubeconfig);
      const use = `kubectl --kubeconfig ${path.relative(io.cwd, kubeconfig)} get namespaces`;
      io.out(`cluster at ${cluster.url}${where}\n\n  ${use}\n\nCtrl-C stops it.\n`);
      await new Promise<void>((resolve) => {
        if (io.signal.aborted) resolve();
        io.signal.addEventListener("abort", () => resolve(), { once: true });
      });
    } finally {
      // One that leads to a cluster that will be there again is worth keeping.
      if (store === "memory") rmSync(kubeconfig, { force: true });
      await cluster.stop();
    }
  },
};

function portOf(text: string | boolean | undefined): true | number {
  if (text === undefined) return true;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65535) throw new CommandError(`pintle cluster up: --port ${text} is no port`, 2);
  return port;
}

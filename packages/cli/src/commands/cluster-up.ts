import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { type StoreChoice, startCluster } from "@pintle/cluster";
import { type Arguments, type Command, CommandError, type Io } from "../command.ts";
import { attend, type RegistryServer, readSnapshot, registryServer } from "../local/index.ts";
import { nodeChoice } from "./node-choice.ts";
import { storeChoice } from "./store-choice.ts";

export const clusterUp: Command = {
  name: "cluster up",
  summary: "Start an embedded Kubernetes cluster and stay until Ctrl-C.",
  usage:
    "[--kubeconfig FILE] [--port N] [--data DIR [--fsync] | --etcd-servers URL[,URL] | --from FILE] [--registry [--registry-port N]] [--nodes N|process [--node-config FILE]]",
  options: {
    kubeconfig: { type: "string" },
    port: { type: "string" },
    from: { type: "string" },
    nodes: { type: "string" },
    "node-config": { type: "string" },
    registry: { type: "boolean" },
    "registry-port": { type: "string" },
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
    from: "go on from what pintle cluster snapshot saved, in memory",
    nodes: "how many simulated nodes (default: 1), or process: containers are then real processes of this machine (Linux)",
    "node-config": "with --nodes process: a file with count, folder, mode (namespaces or loopback) and images, as YAML or JSON",
    registry: "an image registry beside it, on loopback over plain HTTP, in memory",
    "registry-port": "port of the registry (default: 5000, or a free one if that is taken)",
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
    "pintle cluster up --registry",
    "pintle cluster up --nodes process --node-config nodes.yaml",
    "pintle cluster up --from ready.json",
    "pintle cluster up --etcd-servers http://127.0.0.1:2379",
    "pintle cluster up --etcd-servers https://10.0.0.1:2379,https://10.0.0.2:2379 --etcd-cafile ca.crt --etcd-certfile client.crt --etcd-keyfile client.key",
  ],
  async run({ values }, io) {
    const kubeconfig = path.resolve(io.cwd, String(values["kubeconfig"] ?? ".pintle/kubeconfig"));
    const { store, where } = storeChoice(values, io.cwd);
    const nodes = nodeChoice(values, store, io.cwd);
    const port = portOf("port", values["port"]);
    const saved = snapshotOf(values, io);
    await using registry = await registryOf(values);
    await attend({
      kubeconfig,
      keep: store !== "memory",
      signal: io.signal,
      // The first start goes on from what was saved; a reset begins with nothing.
      start: (at) =>
        at === undefined
          ? startCluster({ http: port, nodes, ...(saved ?? { store }) })
          : startCluster({ http: Number(new URL(at).port), nodes, store }),
      wipe: wipeOf(store),
      up(cluster) {
        const use = `kubectl --kubeconfig ${path.relative(io.cwd, kubeconfig)} get namespaces`;
        const images =
          registry === undefined
            ? ""
            : `\nregistry at ${registry.host}, plain HTTP: pintle build ${registry.host}/NAME:TAG --push --insecure-registry`;
        io.out(`cluster at ${cluster.url}${where}${images}\n\n  ${use}\n\nCtrl-C stops it.\n`);
      },
    });
  },
};

function snapshotOf({ from, data, "etcd-servers": etcd }: Arguments["values"], io: Io) {
  if (from === undefined) return undefined;
  if (data !== undefined || etcd !== undefined)
    throw new CommandError("pintle cluster up: what --from brings is kept in memory: leave out --data and --etcd-servers", 2);
  try {
    return readSnapshot(readFileSync(path.resolve(io.cwd, String(from)), "utf8"), String(from));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`pintle cluster up: --from ${from} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

const REGISTRY_PORT = 5000;

async function registryOf(values: Arguments["values"]): Promise<RegistryServer | undefined> {
  if (values["registry"] !== true && values["registry-port"] === undefined) return undefined;
  const port = portOf("registry-port", values["registry-port"]);
  if (port === true) return registryServer(REGISTRY_PORT).catch(() => registryServer());
  return registryServer(port).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`pintle cluster up: --registry-port ${port} cannot be used (${error.code}): choose another`);
  });
}

/** How to forget what is kept; undefined where it is somebody else's to forget. */
function wipeOf(store: StoreChoice): (() => void) | undefined {
  if (store === "memory") return () => {};
  if (typeof store !== "object" || !("file" in store)) return undefined;
  return () => {
    // The keys stay, so that kubeconfigs do.
    for (const name of readdirSync(store.file)) if (/^\d{8,}\.(log|snapshot)/.test(name)) rmSync(path.join(store.file, name));
  };
}

function portOf(flag: string, text: string | boolean | undefined): true | number {
  if (text === undefined) return true;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65535) throw new CommandError(`pintle cluster up: --${flag} ${text} is no port`, 2);
  return port;
}

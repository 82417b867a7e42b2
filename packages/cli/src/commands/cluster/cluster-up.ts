import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { type StoreBackend, startCluster } from "@pintle/cluster";
import { decodeSnapshot } from "@pintle/cluster/internal/cluster";
import { type Command, CommandError, type Io, type ParsedArguments } from "../../command/index.ts";
import { type RegistryServer, serveCluster, startLocalLifecycleManager, startRegistryServer } from "../../local-cluster/index.ts";
import { parseAuditOptions } from "./audit-options.ts";
import { parseNodeOptions } from "./node-options.ts";
import { parseStoreOptions } from "./store-options.ts";

export const clusterUp: Command = {
  name: "cluster up",
  summary: "Start an embedded Kubernetes cluster and run it until Ctrl-C.",
  usage:
    "[--kubeconfig FILE] [--port N] [--data DIR [--fsync] [--accept-data-loss] | --etcd-servers URL[,URL] | --from FILE] [--registry [--registry-port N]] [--nodes N|process [--node-config FILE]] [[--audit-log-path FILE] [--audit-webhook-config-file FILE] --audit-policy-file FILE] [--record] [--olm]",
  options: {
    kubeconfig: { type: "string" },
    port: { type: "string" },
    from: { type: "string" },
    nodes: { type: "string" },
    "node-config": { type: "string" },
    record: { type: "boolean" },
    olm: { type: "boolean" },
    registry: { type: "boolean" },
    "registry-port": { type: "string" },
    data: { type: "string" },
    fsync: { type: "boolean" },
    "accept-data-loss": { type: "boolean" },
    "etcd-servers": { type: "string" },
    "etcd-prefix": { type: "string" },
    "etcd-cafile": { type: "string" },
    "etcd-certfile": { type: "string" },
    "etcd-keyfile": { type: "string" },
    "audit-log-path": { type: "string" },
    "audit-webhook-config-file": { type: "string" },
    "audit-policy-file": { type: "string" },
    "audit-log-maxsize": { type: "string" },
    "audit-log-maxbackup": { type: "string" },
    "audit-log-maxage": { type: "string" },
    "audit-log-compress": { type: "boolean" },
  },
  optionDescriptions: {
    kubeconfig: "file to write the kubeconfig to (default: .pintle/kubeconfig)",
    port: "port of the API server (default: the previous port, or a free one)",
    from: "start from a snapshot made by 'pintle cluster snapshot', in memory",
    nodes: "number of simulated nodes (default: 1), or 'process' to run containers as processes of this machine (Linux)",
    "node-config": "with --nodes process: YAML or JSON file with count, folder, mode (namespaces or loopback) and images",
    record: "record what causes each commit, for 'pintle why' (costs about a fifth more CPU time, and at most 64 MiB)",
    olm: "also run a lifecycle manager that is compatible with OLM v1, for 'pintle operator'",
    registry: "also start an image registry on the loopback interface (plain HTTP, in memory, at most 4 GiB)",
    "registry-port": "port of the registry (default: 5000, or a free port if it is in use)",
    data: "folder that persists objects and keys across restarts (default: in memory)",
    fsync: "with --data: sync every write to disk before it is acknowledged",
    "accept-data-loss": "with --data: start although the folder is damaged or lacks acknowledged writes, without them",
    "etcd-servers": "store objects in etcd 3.5 or newer: comma-separated endpoints",
    "etcd-prefix": "prefix of all keys in etcd (default: /registry)",
    "etcd-cafile": "CA certificate that verifies the etcd servers",
    "etcd-certfile": "client certificate for etcd",
    "etcd-keyfile": "private key of the client certificate",
    "audit-log-path": "file to write audit events of audit.k8s.io/v1 to, as kube-apiserver does; - for the standard output",
    "audit-webhook-config-file": "kubeconfig whose current context names a backend; audit events are sent to it in batches",
    "audit-policy-file":
      "with --audit-log-path or --audit-webhook-config-file: YAML or JSON file with the audit policy that selects what is recorded",
    "audit-log-maxsize": "megabytes after which the audit log is rotated (default: 100; 0: never)",
    "audit-log-maxbackup": "number of rotated audit logs to keep (default: 100; 0: all)",
    "audit-log-maxage": "days to keep rotated audit logs (default: 366; 0: forever)",
    "audit-log-compress": "compress rotated audit logs with gzip",
  },
  examples: [
    "pintle cluster up",
    "pintle cluster up --kubeconfig /tmp/dev.kubeconfig --port 6443",
    "pintle cluster up --data .pintle/data --fsync",
    "pintle cluster up --registry",
    "pintle cluster up --record",
    "pintle cluster up --olm --registry",
    "pintle cluster up --nodes process --node-config nodes.yaml",
    "pintle cluster up --from ready.json",
    "pintle cluster up --audit-log-path audit.log --audit-policy-file policy.yaml",
    "pintle cluster up --etcd-servers http://127.0.0.1:2379",
    "pintle cluster up --etcd-servers https://10.0.0.1:2379,https://10.0.0.2:2379 --etcd-cafile ca.crt --etcd-certfile client.crt --etcd-keyfile client.key",
  ],
  async run({ values }, io) {
    const kubeconfig = path.resolve(io.cwd, String(values["kubeconfig"] ?? ".pintle/kubeconfig"));
    const { store, description } = parseStoreOptions(values, io.cwd, (report) => io.err(`warning: ${report}\n`));
    const parsedNodes = parseNodeOptions(values, store, io.cwd);
    // Pods must not read the administrator's keys.
    const nodes = typeof parsedNodes === "object" ? { ...parsedNodes, privatePaths: [kubeconfig] } : parsedNodes;
    const audit = parseAuditOptions(values, io.cwd);
    const port = parsePort("port", values["port"]);
    const recorder = values["record"] === true;
    const snapshot = readSnapshotOption(values, io);
    await using registry = await startRegistry(values);
    await serveCluster({
      kubeconfig,
      keepKubeconfig: store !== "memory",
      signal: io.signal,
      // Only the first start uses the snapshot; a reset starts empty.
      async startCluster(at) {
        const cluster =
          at === undefined
            ? await startCluster({ http: port, nodes, audit, recorder, ...(snapshot ?? { store }) })
            : await startCluster({ http: Number(new URL(at).port), nodes, audit, recorder, store });
        if (values["olm"] !== true) return cluster;
        return startLocalLifecycleManager(cluster).catch(async (error: unknown) => {
          await cluster.stop();
          throw error;
        });
      },
      wipeData: dataWiper(store),
      onReady(cluster) {
        const use = `kubectl --kubeconfig ${path.relative(io.cwd, kubeconfig)} get namespaces`;
        const images =
          registry === undefined
            ? ""
            : `\nregistry ${registry.host} (plain HTTP): pintle build ${registry.host}/NAME:TAG --push --insecure-registry`;
        const olm = values["olm"] === true ? "\nlifecycle manager running: pintle operator --help" : "";
        io.out(`cluster ${cluster.url} is running${description}${images}${olm}\n\n  ${use}\n\nPress Ctrl-C to stop it.\n`);
      },
    });
  },
};

function readSnapshotOption({ from, data, "etcd-servers": etcd }: ParsedArguments["values"], io: Io) {
  if (from === undefined) return undefined;
  if (data !== undefined || etcd !== undefined)
    throw new CommandError("PINTLE7006", "--from starts an in-memory cluster and cannot be combined with --data or --etcd-servers", 2);
  let bytes: Buffer;
  try {
    bytes = readFileSync(path.resolve(io.cwd, String(from)));
  } catch (error) {
    throw new CommandError("PINTLE7088", `cannot read --from ${from}: ${(error as NodeJS.ErrnoException).code}`);
  }
  const snapshot = decodeSnapshot(bytes);
  if (snapshot !== undefined) return { from: snapshot };
  throw new CommandError(
    "PINTLE7088",
    `${from} is not a snapshot that this version can read: create one with 'pintle cluster snapshot ${from}'`,
  );
}

const DEFAULT_REGISTRY_PORT = 5000;

async function startRegistry(values: ParsedArguments["values"]): Promise<RegistryServer | undefined> {
  if (values["registry"] !== true && values["registry-port"] === undefined) return undefined;
  const port = parsePort("registry-port", values["registry-port"]);
  if (port === true) return startRegistryServer({ port: DEFAULT_REGISTRY_PORT }).catch(() => startRegistryServer());
  return startRegistryServer({ port }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError("PINTLE7089", `cannot listen on --registry-port ${port}: ${error.code}. Choose another port`);
  });
}

/** Returns a function that deletes the stored objects; undefined if they are stored outside this machine's data folder. */
function dataWiper(store: StoreBackend): (() => void) | undefined {
  if (store === "memory") return () => {};
  if (typeof store !== "object" || !("file" in store)) return undefined;
  return () => {
    // Keys are kept, so that existing kubeconfigs stay valid.
    for (const name of readdirSync(store.file)) if (/^(\d{8,}\.(log|snapshot)|writer)/.test(name)) rmSync(path.join(store.file, name));
  };
}

function parsePort(flag: string, text: string | boolean | undefined): true | number {
  if (text === undefined) return true;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65535)
    throw new CommandError("PINTLE7005", `invalid --${flag} "${text}": must be a port number between 1 and 65535`, 2);
  return port;
}

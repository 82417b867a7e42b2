import { execFileSync } from "node:child_process";
import { type ClusterNode, startCluster } from "@pintle/cluster";
import { type Controller, type Duration, type Manager, silentLogger, startManager } from "pintle";
import { type Client, createTransport, loadClusterAccess, type Transport } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Pod, Secret } from "pintle/kinds/core/v1";
import { backup } from "../../examples/etcd/src/backup-controller.ts";
import { credentialsOf, secretNames } from "../../examples/etcd/src/children/index.ts";
import { etcd } from "../../examples/etcd/src/cluster-controller.ts";
import { EtcdBackup } from "../../examples/etcd/src/etcd-backup.ts";
import { EtcdCluster } from "../../examples/etcd/src/etcd-cluster.ts";
import type { Credentials } from "../../examples/etcd/src/etcd-request.ts";
import { EtcdRestore } from "../../examples/etcd/src/etcd-restore.ts";
import { LABEL } from "../../examples/etcd/src/members.ts";
import { listEndpoints } from "../../examples/etcd/src/observe.ts";
import { restore } from "../../examples/etcd/src/restore-controller.ts";
import { modes } from "../process/modes.ts";
import { binary } from "../real/index.ts";
import { startJoined } from "../real/joined.ts";
import { full } from "../sampling.ts";
import { type EtcdWriter, startWriter } from "./writer.ts";

export const namespace = "default";
/** The timeout of all waits, long enough for every state. */
export const within = { timeout: 240_000 };
export const isSupported = modes.includes("namespaces");

const versionOf = (program: "etcd" | "etcd-3.5") =>
  /\d+\.\d+\.\d+/.exec(execFileSync(binary(program), ["--version"], { encoding: "utf8" }))![0];
export const versions = { old: versionOf("etcd-3.5"), new: versionOf("etcd") };

/** What the suite runs on: the embedded cluster, or a real control plane joined by a process node. */
export type Backend = "embedded" | "real";
export const backends: readonly Backend[] = full ? ["embedded", "real"] : ["embedded"];

/** A cluster whose pods are processes, with the three CRDs of the operator. */
export interface EtcdEnvironment {
  readonly client: Client;
  readonly transport: Transport;
  readonly node: ClusterNode;
  /** The text of the kubeconfig of an embedded cluster with an HTTPS listener; otherwise empty. */
  readonly kubeconfig: string;
  /** Starts the operator; a test may pass other controllers to intercept its requests to etcd. */
  startOperator(controllers?: readonly Controller[], client?: Client, grace?: Duration): Promise<Manager>;
  /** Waits until all desired members are ready and the operator has nothing left to do. */
  settled(name: string, more?: (cluster: EtcdCluster) => boolean): Promise<EtcdCluster>;
  /** Starts a continuous writer of a cluster. */
  startWriter(name: string): Promise<EtcdWriter>;
  stop(): Promise<void>;
}

export async function createEnvironment({ http = false, ground: backend = "embedded" as Backend } = {}): Promise<EtcdEnvironment> {
  const place = await (backend === "embedded" ? startEmbedded(http) : startReal());
  const { client } = place;
  const managers: Manager[] = [];
  const writers: EtcdWriter[] = [];
  return {
    ...place,
    async startOperator(controllers = [etcd, backup, restore], through = client, grace) {
      const manager = startManager({ controllers, client: through, logger: silentLogger, grace });
      managers.push(manager);
      await manager.ready;
      return manager;
    },
    settled(name, more = () => true) {
      const isSettled = (object: EtcdCluster) => {
        const { status, metadata, spec } = object;
        return (
          status !== undefined &&
          status.observedGeneration === metadata.generation &&
          status.ready === spec.size &&
          status.members?.length === spec.size &&
          status.conditions?.find(({ type }) => type === "Progressing")?.reason === "Nothing" &&
          more(object)
        );
      };
      return client.waitFor(EtcdCluster, { name, namespace }, isSettled, within);
    },
    async startWriter(name) {
      const object = await client.get(EtcdCluster, { name, namespace });
      const secret = object.spec.tls ? await client.get(Secret, { name: secretNames(object).client, namespace }) : undefined;
      const credentials: Credentials | undefined = credentialsOf(secret);
      const endpoints = async () => listEndpoints(object, (await client.list(Pod, { namespace, labels: { [LABEL]: name } })).items);
      const writer = startWriter(endpoints, credentials);
      writers.push(writer);
      return writer;
    },
    async stop() {
      for (const each of writers) await each.stop();
      for (const manager of managers) await manager.stop();
      await place.stop();
    },
  };
}

type BackendCluster = Pick<EtcdEnvironment, "client" | "transport" | "node" | "kubeconfig" | "stop">;
const kinds = [EtcdCluster, EtcdBackup, EtcdRestore];

async function startEmbedded(http: boolean): Promise<BackendCluster> {
  const cluster = await startCluster({ http, nodes: { kind: "process", mode: "namespaces", images: etcdImages() } });
  await cluster.ready;
  const client = cluster.client();
  for (const kind of kinds) await client.create(CustomResourceDefinition, kind.crd());
  const { transport, kubeconfig, nodes } = cluster;
  return { client, transport, kubeconfig, node: nodes[0]!, stop: () => cluster.stop() };
}

async function startReal(): Promise<BackendCluster> {
  const nodes = { kind: "process", mode: "namespaces", images: etcdImages() } as const;
  const joined = await startJoined({ nodes, definitions: kinds.map((kind) => kind.crd()) });
  const transport = await createTransport(await loadClusterAccess({ kubeconfig: joined.kubeconfig }));
  const { client, processes } = joined;
  const stop = async () => {
    await transport.close();
    await joined.stop();
  };
  return { client, transport, kubeconfig: "", node: processes[0]!, stop };
}

/** The etcd images; other versions fail to start. */
function etcdImages() {
  const programs = { etcdctl: binary("etcdctl"), etcdutl: binary("etcdutl") };
  const image = (program: "etcd" | "etcd-3.5") => ({ command: ["etcd"], programs: { ...programs, etcd: binary(program) } });
  return {
    [`quay.io/coreos/etcd:v${versions.old}`]: image("etcd-3.5"),
    [`quay.io/coreos/etcd:v${versions.new}`]: image("etcd"),
    "quay.io/coreos/etcd": { command: ["etcd-of-no-known-version"] },
  };
}

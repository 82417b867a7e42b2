import { execFileSync } from "node:child_process";
import { type ProcessNode, startCluster } from "@pintle/cluster";
import { type Controller, type Duration, type Manager, silent, start } from "pintle";
import { type Client, locate, type Transport, transportTo } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Pod, Secret } from "pintle/kinds/core/v1";
import { backup } from "../../examples/etcd/src/backup.ts";
import type { Credentials } from "../../examples/etcd/src/call.ts";
import { credentialsOf, secretNames } from "../../examples/etcd/src/children/index.ts";
import { etcd } from "../../examples/etcd/src/etcd.ts";
import { EtcdBackup } from "../../examples/etcd/src/etcd-backup.ts";
import { EtcdCluster } from "../../examples/etcd/src/etcd-cluster.ts";
import { EtcdRestore } from "../../examples/etcd/src/etcd-restore.ts";
import { LABEL } from "../../examples/etcd/src/members.ts";
import { endpointsOf } from "../../examples/etcd/src/observe.ts";
import { restore } from "../../examples/etcd/src/restore.ts";
import { modes } from "../process/modes.ts";
import { binary } from "../real/index.ts";
import { startJoined } from "../real/joined.ts";
import { full } from "../sampling.ts";
import { type Writer, writer } from "./writer.ts";

export const namespace = "default";
/** Everything waits for a state; this is only how long a hopeless wait takes. */
export const within = { timeout: 240_000 };
export const isPossible = modes.includes("namespaces");

const versionOf = (program: "etcd" | "etcd-3.5") =>
  /\d+\.\d+\.\d+/.exec(execFileSync(binary(program), ["--version"], { encoding: "utf8" }))![0];
export const versions = { old: versionOf("etcd-3.5"), new: versionOf("etcd") };

/** Where it plays: the embedded cluster, or a real control plane that a process node of ours joined. */
export type Ground = "embedded" | "real";
export const grounds: readonly Ground[] = full ? ["embedded", "real"] : ["embedded"];

/** A cluster whose pods are processes, with the three kinds of the operator. */
export interface Stage {
  readonly client: Client;
  readonly transport: Transport;
  readonly node: ProcessNode;
  /** Of an embedded one that is served over HTTPS; its text. */
  readonly kubeconfig: string;
  /** The operator begins to work; with other controllers than its own where a test needs to get between it and etcd. */
  operate(controllers?: readonly Controller[], client?: Client, grace?: Duration): Promise<Manager>;
  /** All members that are wanted are there and well, and nothing is left to do. */
  settled(name: string, more?: (cluster: EtcdCluster) => boolean): Promise<EtcdCluster>;
  /** A writer and reader of a cluster's members. */
  write(name: string): Promise<Writer>;
  stop(): Promise<void>;
}

export async function stage({ http = false, ground = "embedded" as Ground } = {}): Promise<Stage> {
  const place = await (ground === "embedded" ? embedded(http) : real());
  const { client } = place;
  const managers: Manager[] = [];
  const writers: Writer[] = [];
  return {
    ...place,
    async operate(controllers = [etcd, backup, restore], through = client, grace) {
      const manager = start({ controllers, client: through, logger: silent, grace });
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
      return client.wait(EtcdCluster, { name, namespace }, isSettled, within);
    },
    async write(name) {
      const object = await client.get(EtcdCluster, { name, namespace });
      const secret = object.spec.tls ? await client.get(Secret, { name: secretNames(object).client, namespace }) : undefined;
      const credentials: Credentials | undefined = credentialsOf(secret);
      const endpoints = async () => endpointsOf(object, (await client.list(Pod, { namespace, labels: { [LABEL]: name } })).items);
      const made = writer(endpoints, credentials);
      writers.push(made);
      return made;
    },
    async stop() {
      for (const each of writers) await each.stop();
      for (const manager of managers) await manager.stop();
      await place.stop();
    },
  };
}

type Place = Pick<Stage, "client" | "transport" | "node" | "kubeconfig" | "stop">;
const kinds = [EtcdCluster, EtcdBackup, EtcdRestore];

async function embedded(http: boolean): Promise<Place> {
  const cluster = await startCluster({ http, nodes: { kind: "process", mode: "namespaces", images: images() } });
  await cluster.ready;
  const client = cluster.client();
  for (const kind of kinds) await client.create(CustomResourceDefinition, kind.crd());
  const { transport, kubeconfig, nodes } = cluster;
  return { client, transport, kubeconfig, node: nodes[0]!, stop: () => cluster.stop() };
}

async function real(): Promise<Place> {
  const nodes = { kind: "process", mode: "namespaces", images: images() } as const;
  const joined = await startJoined({ nodes, definitions: kinds.map((kind) => kind.crd()) });
  const transport = await transportTo(await locate({ kubeconfig: joined.kubeconfig }));
  const { client, processes } = joined;
  const stop = async () => {
    await transport.close();
    await joined.stop();
  };
  return { client, transport, kubeconfig: "", node: processes[0]!, stop };
}

/** No other version can be pulled. */
function images() {
  const programs = { etcdctl: binary("etcdctl"), etcdutl: binary("etcdutl") };
  const image = (program: "etcd" | "etcd-3.5") => ({ command: ["etcd"], programs: { ...programs, etcd: binary(program) } });
  return {
    [`quay.io/coreos/etcd:v${versions.old}`]: image("etcd-3.5"),
    [`quay.io/coreos/etcd:v${versions.new}`]: image("etcd"),
    "quay.io/coreos/etcd": { command: ["etcd-of-no-known-version"] },
  };
}

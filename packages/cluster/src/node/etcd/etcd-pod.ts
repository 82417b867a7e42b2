import { AlreadyExists, Conflict, NotFound } from "pintle/client";
import { Node, Pod } from "pintle/kinds/core/v1";
import { queue } from "pintle/queue";
import { timestamp } from "../../api/index.ts";
import type { Part, Plant } from "../../controllers/index.ts";
import type { NodeStreams } from "../streams.ts";
import { etcdObject, etcdStatus } from "./etcd-object.ts";
import { type EtcdPlace, versionOf } from "./etcd-place.ts";
import { etcdStreams } from "./etcd-streams.ts";

const NAMESPACE = "kube-system";
const manager = { fieldManager: "kubelet" };

export interface EtcdPodFacts {
  /** On which node it is shown. */
  readonly node: string;
  readonly address: string;
  readonly etcd: EtcdPlace;
  /** Programs by name where they are not simply found: `{ etcdctl: "/opt/etcd/etcdctl" }`. */
  readonly programs?: Readonly<Record<string, string>> | undefined;
}

export interface EtcdPod extends Part {
  /** The node's streams, with those of this pod among them. */
  among(streams: NodeStreams): NodeStreams;
}

/**
 * The etcd that a cluster keeps its objects in, as the pod `etcd-<node>` of kube-system: `kubectl exec` runs the machine's own
 * etcdctl against it. Like every pod that only mirrors what runs anyway, it comes back when somebody deletes it.
 */
export function etcdPod({ client, cache, clock }: Omit<Plant, "authority">, { node, address, etcd, programs }: EtcdPodFacts): EtcdPod {
  const name = `etcd-${node}`;
  const own = { name, namespace: NAMESPACE };
  const pods = cache.watch(Pod);
  const nodes = cache.watch(Node);
  const streams = etcdStreams(etcd, programs);
  const work = queue({ clock, work: () => look() });

  const look = async (): Promise<void> => {
    const host = nodes.get({ name: node });
    const pod = pods.get(own);
    if (host === undefined) return;
    try {
      if (pod === undefined) {
        await client.create(Pod, etcdObject(host, name, etcd, await versionOf(etcd), timestamp(clock.now())), manager);
      } else if (pod.metadata.deletionTimestamp !== undefined) {
        await client.delete(Pod, own, { gracePeriodSeconds: 0, uid: pod.metadata.uid });
      } else if (pod.status.phase !== "Running") {
        const status = etcdStatus(pod, address, timestamp(clock.now()));
        await client.status.patch(Pod, own, { strategic: { metadata: { uid: pod.metadata.uid }, status } }, manager);
      }
    } catch (error) {
      // Somebody was faster; what they did wakes the next look.
      if (!(error instanceof NotFound) && !(error instanceof Conflict) && !(error instanceof AlreadyExists)) throw error;
    }
  };
  const off = [
    pods.on(({ old, new: seen }) => {
      const { metadata } = (seen ?? old)!;
      if (metadata.name === name && metadata.namespace === NAMESPACE) work.add(name);
    }),
    nodes.on(({ new: seen }) => {
      if (seen?.metadata.name === node) work.add(name);
    }),
  ];

  return {
    name,
    among: (others) => {
      const of = (target: { readonly namespace: string; readonly pod: string }) =>
        target.pod === name && target.namespace === NAMESPACE ? streams : others;
      return {
        logs: (target, options, signal) => of(target).logs(target, options, signal),
        exec: (target, command, options) => of(target).exec(target, command, options),
        attach: (target, options) => of(target).attach(target, options),
        connect: (target, port) => of(target).connect(target, port),
        usage: () => others.usage(),
      };
    },
    ready: Promise.all([pods.synced(), nodes.synced()]).then(() => {
      work.start();
      work.add(name);
    }),
    async stop() {
      for (const stop of off) stop();
      await work.stop();
      await streams.stop();
      await Promise.all([pods.close(), nodes.close()]);
    },
  };
}

import { AlreadyExists, Conflict, NotFound } from "pintle/client";
import { Node, Pod } from "pintle/kinds/core/v1";
import { formatTimestamp } from "../../api/index.ts";
import type { ControllerContext, ControlPlaneComponent } from "../../controllers/index.ts";
import type { NodeStreams } from "../node-streams.ts";
import { type EtcdClientConfig, fetchEtcdVersion } from "./etcd-connection.ts";
import { buildEtcdPod, buildEtcdPodStatus } from "./etcd-pod-object.ts";
import { createEtcdStreams } from "./etcd-streams.ts";

const NAMESPACE = "kube-system";
const FIELD_MANAGER = { fieldManager: "kubelet" };

export interface EtcdPodOptions {
  /** The node that runs the pod. */
  readonly node: string;
  readonly address: string;
  readonly etcd: EtcdClientConfig;
  /** Paths of programs that are not on the PATH: `{ etcdctl: "/opt/etcd/etcdctl" }`. */
  readonly programs?: Readonly<Record<string, string>> | undefined;
}

export interface EtcdPod extends ControlPlaneComponent {
  /** Returns the streams of the node with those of this pod added. */
  wrapStreams(streams: NodeStreams): NodeStreams;
}

/**
 * Shows the etcd of a cluster as the mirror pod `etcd-<node>` in kube-system: `kubectl exec` runs the host's own etcdctl against it. Like
 * every mirror pod, it is created again after a deletion.
 */
export function startEtcdPod(
  { client, cache, clock, createWorkQueue }: Omit<ControllerContext, "authority" | "fetchOpenApi">,
  { node, address, etcd, programs }: EtcdPodOptions,
): EtcdPod {
  const name = `etcd-${node}`;
  const podRef = { name, namespace: NAMESPACE };
  const pods = cache.watch(Pod);
  const nodes = cache.watch(Node);
  const streams = createEtcdStreams(etcd, programs);
  const work = createWorkQueue({ clock, work: () => sync() });

  const sync = async (): Promise<void> => {
    const host = nodes.get({ name: node });
    const pod = pods.get(podRef);
    if (host === undefined) return;
    try {
      if (pod === undefined) {
        await client.create(Pod, buildEtcdPod(host, name, etcd, await fetchEtcdVersion(etcd), formatTimestamp(clock.now())), FIELD_MANAGER);
      } else if (pod.metadata.deletionTimestamp !== undefined) {
        await client.delete(Pod, podRef, { gracePeriodSeconds: 0, uid: pod.metadata.uid });
      } else if (pod.status.phase !== "Running") {
        const status = buildEtcdPodStatus(pod, address, formatTimestamp(clock.now()));
        await client.status.patch(Pod, podRef, { strategic: { metadata: { uid: pod.metadata.uid }, status } }, FIELD_MANAGER);
      }
    } catch (error) {
      // The pod was changed in the meantime; its event enqueues it again.
      if (!(error instanceof NotFound) && !(error instanceof Conflict) && !(error instanceof AlreadyExists)) throw error;
    }
  };
  const removeHandlers = [
    pods.addEventHandler(({ old, new: current }) => {
      const { metadata } = (current ?? old)!;
      if (metadata.name === name && metadata.namespace === NAMESPACE) work.add(name);
    }),
    nodes.addEventHandler(({ new: current }) => {
      if (current?.metadata.name === node) work.add(name);
    }),
  ];

  return {
    name,
    wrapStreams: (others) => {
      const streamsOf = (target: { readonly namespace: string; readonly pod: string }) =>
        target.pod === name && target.namespace === NAMESPACE ? streams : others;
      return {
        logs: (target, options, signal) => streamsOf(target).logs(target, options, signal),
        exec: (target, command, options) => streamsOf(target).exec(target, command, options),
        attach: (target, options) => streamsOf(target).attach(target, options),
        connect: (target, port) => streamsOf(target).connect(target, port),
        usage: () => others.usage(),
      };
    },
    ready: Promise.all([pods.waitForSync(), nodes.waitForSync()]).then(() => {
      work.start();
      work.add(name);
    }),
    async stop() {
      for (const stop of removeHandlers) stop();
      await work.stop();
      await streams.stop();
      await Promise.all([pods.close(), nodes.close()]);
    },
  };
}

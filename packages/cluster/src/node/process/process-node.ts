import type { Cache } from "pintle/internal/cache";
import type { WorkOutcome } from "pintle/internal/queue";
import { Pod } from "pintle/kinds/core/v1";
import type { ControlPlaneComponent } from "../../controllers/index.ts";
import { isMirrorPod } from "../mirror-pod.ts";
import { createNodeRegistration } from "../node-registration.ts";
import type { NodeStreams } from "../node-streams.ts";
import { createFaultInjector, type NodeFaultInjector } from "./fault-injector.ts";
import type { NodeContext } from "./node-context.ts";
import { buildNodeLabels, buildNodeStatus, type ProcessNodeOptions } from "./node-status.ts";
import { startOomWatcher } from "./oom-watcher.ts";
import { createPodWorker, type PodWorker } from "./pod-worker/pod-worker.ts";
import { createProcessStreams } from "./streams/process-streams.ts";

/** A running node whose pods are processes of this machine. */
export interface ProcessNode extends ControlPlaneComponent {
  /** The name of the Node object. */
  readonly node: string;
  /** The address of the node. */
  readonly address: string;
  /** Logs, exec, attach and port-forward of the node's containers. */
  readonly streams: NodeStreams;
  /** Injects faults, for tests. */
  readonly faults: NodeFaultInjector;
  /** The pod workers, by pod uid. */
  readonly workers: ReadonlyMap<string, PodWorker>;
}

/** Starts the kubelet of one node: registers it, and runs the pods bound to it. */
export function startProcessNode(cache: Cache, context: NodeContext, options: ProcessNodeOptions): ProcessNode {
  const { client, clock, faults, createWorkQueue } = context;
  const pods = cache.watch(Pod, { fields: `spec.nodeName=${options.name}` });
  const workers = new Map<string, PodWorker>();
  /** The workers of deleted pods whose processes or files still exist. */
  const removed = new Map<string, PodWorker>();
  const registration = createNodeRegistration(client, clock, {
    ...options,
    labels: buildNodeLabels(options.name),
    buildStatus: (now) => buildNodeStatus(options, now),
    isDisconnected: () => faults.isDisconnected,
  });
  const oomWatcher = startOomWatcher(context, workers);

  const sync = async (uid: string): Promise<WorkOutcome | undefined> => workers.get(uid)?.syncPod();
  const work = createWorkQueue({ clock, concurrency: 16, backoff: { initial: 100, max: 10_000 }, work: ({ key }) => sync(key) });
  const removals = createWorkQueue({
    clock,
    concurrency: 128,
    backoff: { initial: 100, max: 10_000 },
    async work({ key }) {
      await removed.get(key)?.remove();
      removed.delete(key);
    },
  });
  removals.start();
  const onPod = (pod: Pod) => {
    if (isMirrorPod(pod)) return;
    const { uid } = pod.metadata;
    const worker = workers.get(uid);
    if (worker !== undefined) worker.update(pod);
    else
      workers.set(
        uid,
        createPodWorker(context, pod, () => work.add(uid)),
      );
    work.add(uid);
  };
  const removePod = (uid: string) => {
    const worker = workers.get(uid);
    workers.delete(uid);
    if (worker === undefined) return;
    removed.set(uid, worker);
    removals.add(uid);
  };
  /** Reads all pods again after the node was disconnected. */
  const resyncPods = () => {
    const all = pods.list();
    const uids = new Set(all.map(({ metadata }) => metadata.uid));
    for (const uid of [...workers.keys()]) if (!uids.has(uid)) removePod(uid);
    for (const pod of all) onPod(pod);
  };
  pods.addEventHandler(({ old, new: current }) => {
    if (faults.isDisconnected) return;
    if (old !== undefined && old.metadata.uid !== current?.metadata.uid) removePod(old.metadata.uid);
    if (current !== undefined) onPod(current);
  });

  return {
    name: `node ${options.name}`,
    node: options.name,
    address: options.address,
    workers,
    streams: createProcessStreams(context, workers),
    faults: createFaultInjector(context, workers, async () => {
      resyncPods();
      await registration.report();
    }),
    ready: (async () => {
      await registration.register();
      registration.startHeartbeat();
      await pods.waitForSync();
      work.start();
    })(),
    async stop() {
      registration.stop();
      oomWatcher.stop();
      await work.stop();
      await pods.close();
      await removals.stop();
      await Promise.all([...workers.values(), ...removed.values()].map((worker) => worker.close()));
    },
  };
}

import { Conflict, NotFound } from "pintle/client";
import type { WorkOutcome } from "pintle/internal/queue";
import { Pod } from "pintle/kinds/core/v1";
import { formatTimestamp } from "../../api/index.ts";
import type { ControllerContext, ControlPlaneComponent } from "../../controllers/index.ts";
import { isMirrorPod } from "../mirror-pod.ts";
import { createNodeRegistration } from "../node-registration.ts";
import type { NodeStreams } from "../node-streams.ts";
import { buildNodeLabels, buildNodeStatus, type SimulatedNodeOptions } from "./node-status.ts";
import type { PodIpAllocator } from "./pod-ip-allocator.ts";
import { createSimulatedStreams } from "./simulated-streams.ts";
import { DEFAULT_STAGES, findStage, type PodStage } from "./stages.ts";

const DEFAULT_LEASE_SECONDS = 40;
const FIELD_MANAGER = { fieldManager: "kubelet" };
const EVENT_SOURCE = { component: "kubelet", fieldManager: "kubelet" };

/** A running node with its streams. */
export interface RunningNode extends ControlPlaneComponent {
  readonly node: string;
  /** The address of the node. */
  readonly address: string;
  readonly streams: NodeStreams;
}

/** Starts a node that only simulates its pods: it moves them from stage to stage, on the cluster's clock. Works on any cluster. */
export function startSimulatedNode(
  { client, cache, clock, createWorkQueue, random, events }: Omit<ControllerContext, "authority" | "fetchOpenApi">,
  options: SimulatedNodeOptions,
  podIps: PodIpAllocator,
  stages: readonly PodStage[] = DEFAULT_STAGES,
): RunningNode {
  const pods = cache.watch(Pod, { fields: `spec.nodeName=${options.name}` });
  const work = createWorkQueue({ clock, concurrency: 16, work: ({ key }) => sync(key) });
  const { leaseSeconds = DEFAULT_LEASE_SECONDS } = options;
  /** The stage that each pod waits for, and until when. */
  const waiting = new Map<string, { readonly stage: PodStage; readonly until: number }>();
  const registration = createNodeRegistration(client, clock, {
    name: options.name,
    labels: buildNodeLabels(options.name),
    leaseSeconds,
    buildStatus: (now) => buildNodeStatus(options, now),
  });
  pods.addEventHandler(({ old, new: current }) => {
    if (current !== undefined) return work.add(`${current.metadata.namespace}/${current.metadata.name}`);
    if (old === undefined) return;
    podIps.release(old.metadata.uid);
    waiting.delete(old.metadata.uid);
  });

  const sync = async (key: string): Promise<WorkOutcome | undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    const pod = pods.get({ name, namespace });
    const stage = pod && !isMirrorPod(pod) ? findStage(pod, stages) : undefined;
    if (pod === undefined || stage === undefined) return undefined;
    const now = clock.now();
    const until = getStageDue(pod, stage, now);
    if (until > now) return { type: "requeue", after: until - now };
    // A stage without a delay may come in between; what the pod waited for before is still due at its time.
    if (waiting.get(pod.metadata.uid)?.stage === stage) waiting.delete(pod.metadata.uid);
    try {
      await enterStage(pod, stage, formatTimestamp(now));
    } catch (error) {
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
    return undefined;
  };
  const getStageDue = (pod: Pod, stage: PodStage, now: number): number => {
    const { uid } = pod.metadata;
    const waited = waiting.get(uid);
    if (waited?.stage === stage) return waited.until;
    const delay = (stage.delay?.(pod) ?? 0) + Math.round((stage.jitter ?? 0) * random());
    if (delay > 0) waiting.set(uid, { stage, until: now + delay });
    return now + delay;
  };
  const enterStage = async (pod: Pod, stage: PodStage, now: string) => {
    const { name, namespace, uid } = pod.metadata;
    const placement = { podIP: podIps.allocate(uid, pod.status.podIP), hostIP: options.address };
    const status = stage.next(pod, placement, now);
    if (status === undefined) {
      await client.delete(Pod, { name, namespace }, { gracePeriodSeconds: 0, uid });
      return;
    }
    await client.status.patch(Pod, { name, namespace }, { strategic: { metadata: { uid }, status } }, FIELD_MANAGER);
    for (const { container, ...event } of stage.events?.(pod) ?? []) {
      const fieldPath = container === undefined ? undefined : `spec.containers{${container}}`;
      events.record({ ...EVENT_SOURCE, host: options.name, kind: Pod, object: pod, fieldPath, ...event });
    }
  };

  return {
    name: `node ${options.name}`,
    node: options.name,
    address: options.address,
    streams: createSimulatedStreams(pods, clock),
    ready: (async () => {
      await registration.register();
      await pods.waitForSync();
      registration.startHeartbeat();
      work.start();
    })(),
    async stop() {
      registration.stop();
      await work.stop();
      await pods.close();
    },
  };
}

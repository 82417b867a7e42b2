import { AlreadyExists, Conflict, NotFound } from "pintle/client";
import { microTime } from "pintle/kinds";
import { Lease } from "pintle/kinds/coordination/v1";
import { Node, Pod } from "pintle/kinds/core/v1";
import { type Outcome, queue, type Timer } from "pintle/queue";
import { timestamp } from "../api/index.ts";
import type { Part, Plant } from "../controllers/index.ts";
import type { Addresses } from "./addresses.ts";
import { isMirror } from "./mirror.ts";
import { type NodeFacts, nodeObject, nodeStatus } from "./node-object.ts";
import { simulatedStreams } from "./simulated-streams/simulated-streams.ts";
import { STAGES, type Stage, stageOf } from "./stages.ts";
import type { NodeStreams } from "./streams.ts";

const LEASES = "kube-node-lease";
const LEASE_SECONDS = 40;
const SAID_BY = { component: "kubelet", manager: "kubelet" };

/** A node, with the far end of what is asked of its containers. */
export interface StreamingNode extends Part {
  readonly node: string;
  /** What the node is reached at. */
  readonly address: string;
  readonly streams: NodeStreams;
}

/** A node without a machine: moves its pods from stage to stage, on the cluster's clock. Works on any cluster. */
export function simulatedNode(
  { client, cache, clock, random, events }: Omit<Plant, "authority">,
  facts: NodeFacts,
  network: Addresses,
  stages: readonly Stage[] = STAGES,
): StreamingNode {
  const pods = cache.watch(Pod, { fields: `spec.nodeName=${facts.name}` });
  const work = queue({ clock, concurrency: 16, work: ({ key }) => attend(key) });
  const manager = { fieldManager: "kubelet" };
  const { leaseSeconds = LEASE_SECONDS } = facts;
  /** Since when a pod waits in front of which stage, and until when. */
  const waiting = new Map<string, { readonly stage: Stage; readonly until: number }>();
  let beat: Timer | undefined;
  let stopped = false;
  pods.on(({ old, new: seen }) => {
    if (seen !== undefined) return work.add(`${seen.metadata.namespace}/${seen.metadata.name}`);
    if (old === undefined) return;
    network.release(old.metadata.uid);
    waiting.delete(old.metadata.uid);
  });

  const attend = async (key: string): Promise<Outcome | undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    const pod = pods.get({ name, namespace });
    const stage = pod && !isMirror(pod) ? stageOf(pod, stages) : undefined;
    if (pod === undefined || stage === undefined) return undefined;
    const now = clock.now();
    const until = dueAt(pod, stage, now);
    if (until > now) return { type: "again", after: until - now };
    waiting.delete(pod.metadata.uid);
    try {
      await enter(pod, stage, timestamp(now));
    } catch (error) {
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
    return undefined;
  };
  const dueAt = (pod: Pod, stage: Stage, now: number): number => {
    const { uid } = pod.metadata;
    const known = waiting.get(uid);
    if (known?.stage === stage) return known.until;
    const delay = (stage.delay?.(pod) ?? 0) + Math.round((stage.jitter ?? 0) * random());
    if (delay > 0) waiting.set(uid, { stage, until: now + delay });
    return now + delay;
  };
  const enter = async (pod: Pod, stage: Stage, now: string) => {
    const { name, namespace, uid } = pod.metadata;
    const place = { podIP: network.of(uid, pod.status.podIP), hostIP: facts.address };
    const status = stage.next(pod, place, now);
    if (status === undefined) {
      await client.delete(Pod, { name, namespace }, { gracePeriodSeconds: 0, uid });
      return;
    }
    await client.status.patch(Pod, { name, namespace }, { strategic: { metadata: { uid }, status } }, manager);
    for (const { container, ...said } of stage.says?.(pod) ?? []) {
      const fieldPath = container === undefined ? undefined : `spec.containers{${container}}`;
      events.announce({ ...SAID_BY, host: facts.name, kind: Pod, object: pod, fieldPath, ...said });
    }
  };

  const register = async () => {
    try {
      await client.create(Node, nodeObject(facts), manager);
    } catch (error) {
      if (!(error instanceof AlreadyExists)) throw error;
    }
    await client.status.patch(Node, { name: facts.name }, { strategic: { status: nodeStatus(facts, timestamp(clock.now())) } }, manager);
    await renew();
  };
  /** The lease is the heartbeat; a missed one is made up for by the next. */
  const renew = async () => {
    const spec = { holderIdentity: facts.name, leaseDurationSeconds: leaseSeconds, renewTime: microTime(new Date(clock.now())) };
    await client.apply(Lease, { metadata: { name: facts.name, namespace: LEASES }, spec }, { ...manager, force: true });
  };
  const beatOn = () => {
    if (stopped) return;
    beat = clock.setTimeout(
      () =>
        void renew()
          .catch(() => {})
          .then(beatOn),
      (leaseSeconds * 1000) / 4,
    );
  };

  return {
    name: `node ${facts.name}`,
    node: facts.name,
    address: facts.address,
    streams: simulatedStreams(pods, clock),
    ready: (async () => {
      await register();
      await pods.synced();
      beatOn();
      work.start();
    })(),
    async stop() {
      stopped = true;
      clock.clearTimeout(beat);
      await work.stop();
      await pods.close();
    },
  };
}

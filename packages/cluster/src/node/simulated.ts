import { AlreadyExists, Conflict, NotFound } from "pintle/client";
import { microTime } from "pintle/kinds";
import { Lease } from "pintle/kinds/coordination/v1";
import { Node, Pod } from "pintle/kinds/core/v1";
import { queue, type Timer } from "pintle/queue";
import { timestamp } from "../api/index.ts";
import type { Part, Plant } from "../controllers/index.ts";
import type { Addresses } from "./addresses.ts";
import { type NodeFacts, nodeObject, nodeStatus } from "./node-object.ts";
import { runningStatus } from "./pod-status.ts";

const LEASES = "kube-node-lease";
const HEARTBEAT = 10_000;

/** A node without a machine: its pods run as soon as they are bound, and go as soon as they are deleted. */
export function simulatedNode({ client, cache, clock }: Plant, facts: NodeFacts, network: Addresses): Part {
  const pods = cache.watch(Pod, { fields: `spec.nodeName=${facts.name}` });
  const work = queue({ clock, concurrency: 16, work: ({ key }) => attend(key) });
  const manager = { fieldManager: "kubelet" };
  let beat: Timer | undefined;
  pods.on(({ old, new: seen }) => {
    if (seen !== undefined) work.add(`${seen.metadata.namespace}/${seen.metadata.name}`);
    else if (old !== undefined) network.release(old.metadata.uid);
  });

  const attend = async (key: string): Promise<undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    const pod = pods.get({ name, namespace });
    if (pod === undefined) return;
    try {
      if (pod.metadata.deletionTimestamp !== undefined)
        await client.delete(Pod, pod.metadata, { gracePeriodSeconds: 0, uid: pod.metadata.uid });
      else if ((pod.status.phase ?? "Pending") === "Pending") await run(pod);
    } catch (error) {
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
  };
  const run = async (pod: Pod) => {
    const place = { podIP: network.of(pod.metadata.uid, pod.status.podIP), hostIP: facts.address };
    const status = runningStatus(pod, place, timestamp(clock.now()));
    await client.status.patch(Pod, pod.metadata, { strategic: { metadata: { uid: pod.metadata.uid }, status } }, manager);
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
    const spec = { holderIdentity: facts.name, leaseDurationSeconds: 40, renewTime: microTime(new Date(clock.now())) };
    await client.apply(Lease, { metadata: { name: facts.name, namespace: LEASES }, spec }, { ...manager, force: true });
  };
  const beatOn = () => {
    beat = clock.setTimeout(
      () =>
        void renew()
          .catch(() => {})
          .then(beatOn),
      HEARTBEAT,
    );
  };

  return {
    name: `node ${facts.name}`,
    ready: (async () => {
      await register();
      await pods.synced();
      beatOn();
      work.start();
    })(),
    async stop() {
      clock.clearTimeout(beat);
      await work.stop();
      await pods.close();
    },
  };
}

import type { ClusterObservation, NextStep } from "./decide/index.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import type { Gateway } from "./gateway.ts";
import { memberName, peerURL } from "./members.ts";

export interface StepOutcome {
  /** What was done, as the message of an Event; undefined if nothing was done in etcd. */
  readonly message?: string | undefined;
  /** Why the step failed. The next reconcile decides again. */
  readonly error?: string | undefined;
}

/**
 * Executes the etcd part of a step; claims and pods follow from the step. etcd may reject a change temporarily and responses may get lost,
 * so after a failure the cluster is observed and the step decided again.
 */
export async function executeStep(
  step: NextStep,
  cluster: EtcdCluster,
  { etcd, revision }: ClusterObservation & { readonly etcd: Gateway },
): Promise<StepOutcome> {
  try {
    return { message: await runStep(step, cluster, etcd, revision) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

async function runStep(step: NextStep, cluster: EtcdCluster, etcd: Gateway, revision: number): Promise<string | undefined> {
  const { version } = cluster.spec;
  switch (step.do) {
    case "seed":
      return `${memberName(cluster, step.ordinal)} bootstraps ${step.restore === undefined ? "a new cluster" : `the cluster from ${step.restore.snapshot}`}`;
    case "clear":
      return step.message;
    case "recover":
      return `${step.target.name} continues as a single member, as requested`;
    case "add": {
      const name = memberName(cluster, step.ordinal);
      await etcd.addLearner(peerURL(cluster, name));
      return `${name} joins as a learner`;
    }
    case "promote":
      await etcd.promote(step.target.member!.id);
      return `${step.target.name} has caught up and is promoted to a voter`;
    case "remove":
      await etcd.remove(step.target.member!.id);
      return `${step.target.name} is removed: ${step.message}`;
    case "hand over":
      await etcd.moveLeader(step.from.name, step.to.member!.id);
      return `${step.from.name} transfers leadership to ${step.to.name}`;
    case "renew":
      return step.target.volume!.version === version
        ? `${step.target.name} is restarted with new settings`
        : `${step.target.name} is updated from ${step.target.volume!.version} to ${version}`;
    case "defragment":
      await etcd.defragment(step.target.name);
      return `${step.target.name} is defragmented`;
    case "free space":
      // An error means that the revision is already compacted.
      await etcd.compact(revision).catch(() => {});
      for (const { name } of step.order) await etcd.defragment(name);
      for (const id of await etcd.outOfSpaceIds()) await etcd.disarmAlarm(id);
      return `quota exceeded: compacted old revisions and defragmented ${step.order.map(({ name }) => name).join(", ")}`;
    case "refuse":
      return step.message;
    default:
      return undefined;
  }
}

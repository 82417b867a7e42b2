import type { Observed, Step } from "./decide/index.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import type { Gateway } from "./gateway.ts";
import { memberName, peerURL } from "./members.ts";

export interface Deed {
  /** What was done, for an Event; undefined: nothing that concerns etcd. */
  readonly done?: string | undefined;
  /** Why it was not done; it is decided anew soon. */
  readonly failed?: string | undefined;
}

/**
 * Takes the step, as far as etcd itself is concerned; volumes and pods follow from the step. etcd may refuse for a while, for example
 * because a connection broke a moment ago, and an answer may get lost: then everything is looked at and decided again.
 */
export async function act(step: Step, cluster: EtcdCluster, { etcd, revision }: Observed & { readonly etcd: Gateway }): Promise<Deed> {
  try {
    return { done: await take(step, cluster, etcd, revision) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

async function take(step: Step, cluster: EtcdCluster, etcd: Gateway, revision: number): Promise<string | undefined> {
  const { version } = cluster.spec;
  switch (step.do) {
    case "seed":
      return `${memberName(cluster, step.ordinal)} begins ${step.restore === undefined ? "a new cluster" : `with ${step.restore.snapshot}`}`;
    case "clear":
      return step.why;
    case "recover":
      return `${step.seen.name} goes on alone: it was told to`;
    case "add": {
      const name = memberName(cluster, step.ordinal);
      await etcd.addLearner(peerURL(cluster, name));
      return `${name} joins as a learner`;
    }
    case "promote":
      await etcd.promote(step.seen.member!.id);
      return `${step.seen.name} has caught up and votes now`;
    case "remove":
      await etcd.remove(step.seen.member!.id);
      return `${step.seen.name} is removed: ${step.why}`;
    case "hand over":
      await etcd.moveLeader(step.from.name, step.to.member!.id);
      return `${step.from.name} hands over to ${step.to.name}`;
    case "renew":
      return step.seen.volume!.version === version
        ? `${step.seen.name} gets other settings`
        : `${step.seen.name} goes from ${step.seen.volume!.version} to ${version}`;
    case "defragment":
      await etcd.defragment(step.seen.name);
      return `${step.seen.name} is defragmented`;
    case "free space":
      // Compacted already is as good.
      await etcd.compact(revision).catch(() => {});
      for (const { name } of step.order) await etcd.defragment(name);
      for (const id of await etcd.full()) await etcd.disarm(id);
      return `old revisions were dropped and ${step.order.map(({ name }) => name).join(", ")} defragmented: there was no room`;
    case "refuse":
      return step.why;
    default:
      return undefined;
  }
}

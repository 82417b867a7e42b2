import { Conflict, NotFound } from "pintle/client";
import { Node, Pod } from "pintle/kinds/core/v1";
import { type Outcome, queue } from "pintle/queue";
import { timestamp } from "../../api/index.ts";
import { MANAGED } from "../managed.ts";
import { type Part, type Plant, queued } from "../part.ts";
import { podsByNode } from "../pods-by.ts";
import { stayUntil } from "./stay.ts";

const NAME = "taint-eviction-controller";
const REASON = { reason: "DeletionByTaintManager", message: "Taint manager: deleting due to NoExecute taint" };

/** Deletes pods from nodes whose NoExecute taints they do not bear, or have borne long enough. */
export function taintEviction({ client, cache, clock, events }: Plant): Part {
  const nodes = cache.watch(Node);
  const pods = cache.watch(Pod);
  const podsOn = podsByNode(pods);
  const work = queue({ clock, concurrency: 8, work: ({ key }) => attend(key) });
  /** Pods that are to go at some time, so that a reprieve can be told. */
  const doomed = new Set<string>();
  const keyOf = ({ metadata }: Pod) => `${metadata.namespace}/${metadata.name}`;
  const tainted = (node: Node | undefined) => node?.spec.taints?.some(({ effect }) => effect === "NoExecute") === true;
  pods.on(({ new: seen, old }) => {
    if (seen === undefined) return void (old && doomed.delete(keyOf(old)));
    if (seen.spec.nodeName && nodes.isSynced && tainted(nodes.get({ name: seen.spec.nodeName }))) work.add(keyOf(seen));
  });
  nodes.on(({ new: seen, old }) => {
    if (seen === undefined || !pods.isSynced || (!tainted(seen) && !tainted(old))) return;
    for (const pod of podsOn(seen.metadata.name)) work.add(keyOf(pod));
  });

  const attend = async (key: string): Promise<Outcome | undefined> => {
    const [namespace = "", name = ""] = key.split("/");
    const pod = pods.get({ name, namespace });
    const node = pod?.spec.nodeName ? nodes.get({ name: pod.spec.nodeName }) : undefined;
    if (pod === undefined || node === undefined || pod.metadata.deletionTimestamp !== undefined) return void doomed.delete(key);
    const now = clock.now();
    const until = stayUntil(pod, node, ({ timeAdded }) => (timeAdded === undefined ? now : Date.parse(timeAdded)));
    if (until === undefined) {
      if (doomed.delete(key)) say(pod, `Cancelling deletion of Pod ${key}`);
      return undefined;
    }
    doomed.add(key);
    if (until > now) return { type: "again", after: until - now };
    say(pod, `Marking for deletion Pod ${key}`);
    await evict(pod);
    return undefined;
  };
  const say = (pod: Pod, message: string) =>
    events.announce({ component: NAME, kind: Pod, object: pod, type: "Normal", reason: "TaintManagerEviction", message });
  const evict = async ({ metadata }: Pod) => {
    const { uid, name, namespace } = metadata;
    const condition = { type: "DisruptionTarget", status: "True", ...REASON, lastTransitionTime: timestamp(clock.now()) };
    try {
      await client.status.patch(Pod, metadata, { strategic: { metadata: { uid }, status: { conditions: [condition] } } }, MANAGED);
      await client.delete(Pod, { name, namespace }, { uid });
    } catch (error) {
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
  };
  return queued(NAME, work, [nodes, pods]);
}

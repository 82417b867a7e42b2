import { Conflict, NotFound } from "pintle/client";
import { Lease } from "pintle/kinds/coordination/v1";
import { Node, Pod } from "pintle/kinds/core/v1";
import { type Outcome, queue } from "pintle/queue";
import { timestamp } from "../../api/index.ts";
import { MANAGED } from "../managed.ts";
import { type Part, type Plant, queued } from "../part.ts";
import { podsByNode } from "../pods-by.ts";
import { type Heard, hear, lostAt, lostConditions, readyOf } from "./health.ts";
import { taintsOf } from "./taints.ts";

const COMPONENT = "node-controller";
const LEASES = "kube-node-lease";

/** Marks nodes that fell silent, taints nodes by their conditions, and says of their pods that they are not ready. */
export function nodeLifecycle({ client, cache, clock, events }: Plant): Part {
  const nodes = cache.watch(Node);
  const leases = cache.watch(Lease, { namespaces: [LEASES] });
  const pods = cache.watch(Pod);
  const podsOn = podsByNode(pods);
  const heard = new Map<string, Heard>();
  const work = queue({ clock, concurrency: 8, work: ({ key }) => attend(key) });
  nodes.on(({ old, new: seen }) => {
    const node = (seen ?? old)!;
    work.add(node.metadata.name);
    if (old !== undefined && seen !== undefined) return;
    const said = seen === undefined ? (["RemovingNode", "Removing", "from"] as const) : (["RegisteredNode", "Registered", "in"] as const);
    announce(node, said[0], `Node ${node.metadata.name} event: ${said[1]} Node ${node.metadata.name} ${said[2]} Controller`);
  });
  // A renewed lease only moves the hour at which the node would be lost: the queue's own timer looks at it then.
  const announce = (node: Node, reason: string, message: string) =>
    events.announce({ component: COMPONENT, kind: Node, object: node, type: "Normal", reason, message });

  const attend = async (name: string): Promise<Outcome | undefined> => {
    const node = nodes.get({ name });
    if (node === undefined) return void heard.delete(name);
    const now = clock.now();
    const lease = leases.get({ name, namespace: LEASES });
    const last = hear(node, lease, heard.get(name), now);
    heard.set(name, last);
    try {
      const due = lostAt(node, lease, last);
      const told = now < due ? node : await markLost(node, timestamp(now));
      await taint(told, timestamp(now));
      if (readyOf(told) !== undefined && readyOf(told)?.status !== "True") await unready(told, timestamp(now));
      return { type: "again", after: now < due ? due - now : 5_000 };
    } catch (error) {
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
      return { type: "again", after: 20 };
    }
  };
  const markLost = async (node: Node, now: string): Promise<Node> => {
    const conditions = lostConditions(node, now);
    if (conditions === undefined) return node;
    return client.status.replace(Node, { ...node, status: { ...node.status, conditions } }, MANAGED);
  };
  const taint = async (node: Node, now: string) => {
    const taints = taintsOf(node, now);
    if (taints === undefined) return;
    const { name, resourceVersion } = node.metadata;
    // The list as a whole, and only if it is the one that was looked at.
    await client.patch(
      Node,
      { name },
      { merge: { metadata: { resourceVersion }, spec: { taints: taints.length === 0 ? null : taints } } },
      MANAGED,
    );
  };
  const unready = async (node: Node, now: string) => {
    const ready = podsOn(node.metadata.name).filter((pod) => pod.status.conditions?.some((c) => c.type === "Ready" && c.status === "True"));
    if (ready.length > 0) announce(node, "NodeNotReady", `Node ${node.metadata.name} status is now: NodeNotReady`);
    for (const pod of ready) {
      const conditions = [{ type: "Ready", status: "False", lastTransitionTime: now }];
      await client.status.patch(Pod, pod.metadata, { strategic: { metadata: { uid: pod.metadata.uid }, status: { conditions } } }, MANAGED);
      events.announce({
        component: COMPONENT,
        kind: Pod,
        object: pod,
        type: "Warning",
        reason: "NodeNotReady",
        message: "Node is not ready",
      });
    }
  };
  return queued("node-lifecycle-controller", work, [nodes, leases, pods]);
}

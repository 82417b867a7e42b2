import { Conflict, NotFound } from "pintle/client";
import type { WorkOutcome } from "pintle/internal/queue";
import { Lease } from "pintle/kinds/coordination/v1";
import { Node, Pod } from "pintle/kinds/core/v1";
import { formatTimestamp } from "../../api/index.ts";
import { type ControllerContext, type ControlPlaneComponent, createQueueComponent } from "../component.ts";
import { FIELD_MANAGER } from "../field-manager.ts";
import { indexPodsByNode } from "../shared/pod-indexes.ts";
import {
  buildUnknownConditions,
  computeTaints,
  getReadyCondition,
  getUnreachableAt,
  type Heartbeat,
  observeHeartbeat,
} from "./node-health.ts";

const COMPONENT = "node-controller";
const LEASE_NAMESPACE = "kube-node-lease";

/**
 * Starts the controller that marks unreachable nodes, taints nodes by their conditions, and sets the pods of unhealthy nodes to not ready.
 */
export function startNodeLifecycleController({ client, cache, clock, createWorkQueue, events }: ControllerContext): ControlPlaneComponent {
  const nodes = cache.watch(Node);
  const leases = cache.watch(Lease, { namespaces: [LEASE_NAMESPACE] });
  const pods = cache.watch(Pod);
  const podsOn = indexPodsByNode(pods);
  const heartbeats = new Map<string, Heartbeat>();
  const work = createWorkQueue({ clock, concurrency: 8, work: ({ key }) => sync(key) });
  nodes.addEventHandler(({ old, new: current }) => {
    const node = (current ?? old)!;
    work.add(node.metadata.name);
    if (old !== undefined && current !== undefined) return;
    // The node was registered before this controller started, as after a restart or in a fork: there is no event to record.
    if (current !== undefined && !nodes.isSynced && getReadyCondition(current) !== undefined) return;
    const eventParts =
      current === undefined ? (["RemovingNode", "Removing", "from"] as const) : (["RegisteredNode", "Registered", "in"] as const);
    recordNodeEvent(
      node,
      eventParts[0],
      `Node ${node.metadata.name} event: ${eventParts[1]} Node ${node.metadata.name} ${eventParts[2]} Controller`,
    );
  });
  // A renewed lease only postpones the deadline; the requeue after it reads the lease.
  const recordNodeEvent = (node: Node, reason: string, message: string) =>
    events.record({ component: COMPONENT, kind: Node, object: node, type: "Normal", reason, message });

  const sync = async (name: string): Promise<WorkOutcome | undefined> => {
    const node = nodes.get({ name });
    if (node === undefined) return void heartbeats.delete(name);
    const now = clock.now();
    const lease = leases.get({ name, namespace: LEASE_NAMESPACE });
    const heartbeat = observeHeartbeat(node, lease, heartbeats.get(name), now);
    heartbeats.set(name, heartbeat);
    try {
      const unreachableAt = getUnreachableAt(node, lease, heartbeat);
      const updated = now < unreachableAt ? node : await markUnreachable(node, formatTimestamp(now));
      await updateTaints(updated, formatTimestamp(now));
      if (getReadyCondition(updated) !== undefined && getReadyCondition(updated)?.status !== "True")
        await markPodsNotReady(updated, formatTimestamp(now));
      return { type: "requeue", after: now < unreachableAt ? unreachableAt - now : 5_000 };
    } catch (error) {
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
      return { type: "requeue", after: 20 };
    }
  };
  const markUnreachable = async (node: Node, now: string): Promise<Node> => {
    const conditions = buildUnknownConditions(node, now);
    if (conditions === undefined) return node;
    return client.status.replace(Node, { ...node, status: { ...node.status, conditions } }, FIELD_MANAGER);
  };
  const updateTaints = async (node: Node, now: string) => {
    const taints = computeTaints(node, now);
    if (taints === undefined) return;
    const { name, resourceVersion } = node.metadata;
    // The whole list, and only if it is still the one that was read.
    await client.patch(
      Node,
      { name },
      { merge: { metadata: { resourceVersion }, spec: { taints: taints.length === 0 ? null : taints } } },
      FIELD_MANAGER,
    );
  };
  const markPodsNotReady = async (node: Node, now: string) => {
    const ready = podsOn(node.metadata.name).filter((pod) => pod.status.conditions?.some((c) => c.type === "Ready" && c.status === "True"));
    if (ready.length > 0) recordNodeEvent(node, "NodeNotReady", `Node ${node.metadata.name} status is now: NodeNotReady`);
    for (const pod of ready) {
      const conditions = [{ type: "Ready", status: "False", lastTransitionTime: now }];
      await client.status.patch(
        Pod,
        pod.metadata,
        { strategic: { metadata: { uid: pod.metadata.uid }, status: { conditions } } },
        FIELD_MANAGER,
      );
      events.record({
        component: COMPONENT,
        kind: Pod,
        object: pod,
        type: "Warning",
        reason: "NodeNotReady",
        message: "Node is not ready",
      });
    }
  };
  return createQueueComponent("node-lifecycle-controller", work, [nodes, leases, pods]);
}

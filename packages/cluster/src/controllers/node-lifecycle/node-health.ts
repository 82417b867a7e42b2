import type { Lease } from "pintle/kinds/coordination/v1";
import type { Node, NodeCondition, Taint } from "pintle/kinds/core/v1";

/** How long a node may miss heartbeats, after its first status update and before. Milliseconds. */
const GRACE_PERIOD = 50_000;
const STARTUP_GRACE_PERIOD = 60_000;
const LEASE_SLACK = 10_000;
/** Conditions that become Unknown when the heartbeats stop. */
const CONDITION_TYPES = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** The last observed heartbeat of a node. */
export interface Heartbeat {
  readonly signature: string;
  readonly observedAt: number;
}

/**
 * Returns the last heartbeat. A change of the lease or the Ready condition counts from when it is observed, so the node's own clock does
 * not matter. Pure.
 */
export function observeHeartbeat(node: Node, lease: Lease | undefined, previous: Heartbeat | undefined, now: number): Heartbeat {
  const signature = `${lease?.spec?.renewTime ?? ""} ${getReadyCondition(node)?.lastHeartbeatTime ?? ""}`;
  return previous?.signature === signature ? previous : { signature, observedAt: now };
}

/** Returns when a node without heartbeats counts as unreachable. */
export function getUnreachableAt(node: Node, lease: Lease | undefined, heartbeat: Heartbeat): number {
  const grace = getReadyCondition(node) === undefined ? STARTUP_GRACE_PERIOD : GRACE_PERIOD;
  // A longer lease duration extends the grace period.
  const leaseDuration = (lease?.spec?.leaseDurationSeconds ?? 0) * 1000 + LEASE_SLACK;
  return heartbeat.observedAt + Math.max(grace, leaseDuration);
}

/** Builds the conditions of an unreachable node; undefined if they are already set. Pure. */
export function buildUnknownConditions(node: Node, now: string): readonly NodeCondition[] | undefined {
  const had = node.status.conditions ?? [];
  const missing = CONDITION_TYPES.filter((type) => !had.some((condition) => condition.type === type));
  const stale = had.filter(({ type, status }) => CONDITION_TYPES.includes(type) && status !== "Unknown");
  if (missing.length + stale.length === 0) return undefined;
  return [
    ...had.map((condition) =>
      stale.includes(condition)
        ? {
            ...condition,
            status: "Unknown" as const,
            reason: "NodeStatusUnknown",
            message: "Kubelet stopped posting node status.",
            lastTransitionTime: now,
          }
        : condition,
    ),
    ...missing.map((type) => ({
      type,
      status: "Unknown" as const,
      reason: "NodeStatusNeverUpdated",
      message: "Kubelet never posted node status.",
      lastHeartbeatTime: node.metadata.creationTimestamp,
      lastTransitionTime: now,
    })),
  ];
}

export function getReadyCondition({ status }: Node): NodeCondition | undefined {
  return status.conditions?.find(({ type }) => type === "Ready");
}

const PREFIX = "node.kubernetes.io";
const NOT_READY = `${PREFIX}/not-ready`;
const UNREACHABLE = `${PREFIX}/unreachable`;

/** The taint for each status of a condition. */
const TAINTS_BY_CONDITION: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: NOT_READY, Unknown: UNREACHABLE },
  MemoryPressure: { True: `${PREFIX}/memory-pressure` },
  DiskPressure: { True: `${PREFIX}/disk-pressure` },
  NetworkUnavailable: { True: `${PREFIX}/network-unavailable` },
  PIDPressure: { True: `${PREFIX}/pid-pressure` },
};
const UNSCHEDULABLE = `${PREFIX}/unschedulable`;
const MANAGED_TAINTS = new Set([UNSCHEDULABLE, ...Object.values(TAINTS_BY_CONDITION).flatMap((keys) => Object.values(keys))]);

/** Computes the taints of a node from its conditions; undefined if it already has them. Pure. */
export function computeTaints({ spec, status }: Node, now: string): readonly Taint[] | undefined {
  const keys = (status.conditions ?? []).flatMap(({ type, status: is }) => TAINTS_BY_CONDITION[type]?.[is] ?? []);
  const desired: Taint[] = [
    ...keys.map((key): Taint => ({ key, effect: "NoSchedule" })),
    ...(spec.unschedulable ? [{ key: UNSCHEDULABLE, effect: "NoSchedule" } as const] : []),
    ...keys.filter((key) => key === NOT_READY || key === UNREACHABLE).map((key): Taint => ({ key, effect: "NoExecute" })),
  ];
  const had = spec.taints ?? [];
  const isSameTaint = (a: Taint) => (b: Taint) => a.key === b.key && a.effect === b.effect;
  const retained = had.filter((taint) => !isManagedTaint(taint) || desired.some(isSameTaint(taint)));
  const added = desired.filter((taint) => !had.some(isSameTaint(taint))).map((taint) => ({ ...taint, timeAdded: now }));
  return added.length === 0 && retained.length === had.length ? undefined : [...retained, ...added];
}

function isManagedTaint({ key, effect }: Taint): boolean {
  if (effect === "NoExecute") return key === NOT_READY || key === UNREACHABLE;
  return effect === "NoSchedule" && MANAGED_TAINTS.has(key);
}

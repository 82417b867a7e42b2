import type { Lease } from "pintle/kinds/coordination/v1";
import type { Node, NodeCondition } from "pintle/kinds/core/v1";

/** How long a node may be silent: once it has said something, and before. Milliseconds. */
const GRACE = 50_000;
const STARTUP_GRACE = 60_000;
const SLACK = 10_000;
/** Conditions that a silent node leaves unknown. */
const TYPES = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** When a node was last heard, and by what sign. */
export interface Heard {
  readonly sign: string;
  readonly at: number;
}

/** Hears a node: any new sign of life counts from the moment it is seen, whatever the node's own clock says. Pure. */
export function hear(node: Node, lease: Lease | undefined, before: Heard | undefined, now: number): Heard {
  const sign = `${lease?.spec?.renewTime ?? ""} ${readyOf(node)?.lastHeartbeatTime ?? ""}`;
  return before?.sign === sign ? before : { sign, at: now };
}

/** When a node that stays silent counts as lost. */
export function lostAt(node: Node, lease: Lease | undefined, heard: Heard): number {
  const grace = readyOf(node) === undefined ? STARTUP_GRACE : GRACE;
  // Whoever promises to be silent for longer is believed.
  const promised = (lease?.spec?.leaseDurationSeconds ?? 0) * 1000 + SLACK;
  return heard.at + Math.max(grace, promised);
}

/** The conditions of a node that is lost; undefined when they say so already. Pure. */
export function lostConditions(node: Node, now: string): readonly NodeCondition[] | undefined {
  const had = node.status.conditions ?? [];
  const missing = TYPES.filter((type) => !had.some((condition) => condition.type === type));
  const stale = had.filter(({ type, status }) => TYPES.includes(type) && status !== "Unknown");
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

export function readyOf({ status }: Node): NodeCondition | undefined {
  return status.conditions?.find(({ type }) => type === "Ready");
}

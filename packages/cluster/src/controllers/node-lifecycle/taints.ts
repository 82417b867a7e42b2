import type { Node, Taint } from "pintle/kinds/core/v1";

const PREFIX = "node.kubernetes.io";
export const NOT_READY = `${PREFIX}/not-ready`;
export const UNREACHABLE = `${PREFIX}/unreachable`;

/** Which taint each condition brings, by its status. */
const BY_CONDITION: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: NOT_READY, Unknown: UNREACHABLE },
  MemoryPressure: { True: `${PREFIX}/memory-pressure` },
  DiskPressure: { True: `${PREFIX}/disk-pressure` },
  NetworkUnavailable: { True: `${PREFIX}/network-unavailable` },
  PIDPressure: { True: `${PREFIX}/pid-pressure` },
};
const UNSCHEDULABLE = `${PREFIX}/unschedulable`;
const OURS = new Set([UNSCHEDULABLE, ...Object.values(BY_CONDITION).flatMap((keys) => Object.values(keys))]);

/** The taints a node should have, given its conditions: undefined when it has them. Pure. */
export function taintsOf({ spec, status }: Node, now: string): readonly Taint[] | undefined {
  const keys = (status.conditions ?? []).flatMap(({ type, status: is }) => BY_CONDITION[type]?.[is] ?? []);
  const wanted: Taint[] = [
    ...keys.map((key): Taint => ({ key, effect: "NoSchedule" })),
    ...(spec.unschedulable ? [{ key: UNSCHEDULABLE, effect: "NoSchedule" } as const] : []),
    ...keys.filter((key) => key === NOT_READY || key === UNREACHABLE).map((key): Taint => ({ key, effect: "NoExecute" })),
  ];
  const had = spec.taints ?? [];
  const same = (a: Taint) => (b: Taint) => a.key === b.key && a.effect === b.effect;
  const kept = had.filter((taint) => !isOurs(taint) || wanted.some(same(taint)));
  const added = wanted.filter((taint) => !had.some(same(taint))).map((taint) => ({ ...taint, timeAdded: now }));
  return added.length === 0 && kept.length === had.length ? undefined : [...kept, ...added];
}

function isOurs({ key, effect }: Taint): boolean {
  if (effect === "NoExecute") return key === NOT_READY || key === UNREACHABLE;
  return effect === "NoSchedule" && OURS.has(key);
}

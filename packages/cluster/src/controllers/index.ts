/**
 * What makes the cluster live: garbage collection, namespaces, workloads, scheduling. Each part is an ordinary client
 * of the API server, on pintle's cache and queue over the in-process transport, and can be left out.
 */
import { clusterRoleAggregation } from "./cluster-role/aggregation.ts";
import { garbageCollector } from "./garbage/collector.ts";
import { namespaces } from "./namespace/namespaces.ts";
import type { Part, Plant } from "./part.ts";
import { scheduler } from "./scheduler/scheduler.ts";
import { workloads } from "./workloads.ts";

export type { Part, Plant } from "./part.ts";

/** Every part, by the name it is left out by. */
const PARTS = { clusterRoleAggregation, garbageCollector, namespaces, scheduler, workloads } satisfies Record<
  string,
  (plant: Plant) => Part
>;
export type PartName = keyof typeof PARTS;

export function controllers(plant: Plant, without: readonly PartName[] = []): readonly Part[] {
  return Object.entries(PARTS).flatMap(([name, start]) => (without.includes(name as PartName) ? [] : [start(plant)]));
}

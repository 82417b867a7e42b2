/**
 * What makes the cluster live: garbage collection, namespaces, workloads, scheduling. Each part is an ordinary client
 * of the API server, on pintle's cache and queue over the in-process transport, and can be left out.
 */

export { deploymentController } from "./deployment/controller.ts";
export { garbageCollector } from "./garbage/collector.ts";
export { namespaces } from "./namespace/namespaces.ts";
export type { Part, Plant } from "./part.ts";
export { replicaSetController } from "./replica-set/controller.ts";
export { scheduler } from "./scheduler/scheduler.ts";

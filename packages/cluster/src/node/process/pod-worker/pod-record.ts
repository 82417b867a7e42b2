import type { Pod } from "pintle/kinds/core/v1";
import type { NodeContext } from "../node-context.ts";
import type { PodState } from "../pod-sync/pod-state.ts";
import type { TaskGroup } from "./task-group.ts";

/** The mutable state of one pod, shared by the parts of its worker. */
export interface PodRecord {
  readonly context: NodeContext;
  /** The folder of the pod on the node. */
  readonly folder: string;
  /** The latest version of the API server. */
  pod: Pod;
  state: PodState;
  /** Aborts when the worker is closed: nothing new starts, and container changes no longer enqueue the pod. */
  readonly closed: AbortSignal;
  /** Everything that runs for the pod and may write its files. */
  readonly tasks: TaskGroup;
  /** Syncs the pod again. */
  enqueue(): void;
}

/** Returns the termination grace period of a pod, in milliseconds. */
export function getGracePeriod({ metadata, spec }: Pod): number {
  return (metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30) * 1000;
}

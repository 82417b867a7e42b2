/**
 * Nodes, which run the pods. In comes a `ControllerContext`; out come running nodes with their `NodeStreams`. A node is an ordinary API
 * client: it registers itself, renews its lease and maintains the status of the pods bound to it. A simulated node (`simulated/`) only
 * writes statuses; process nodes (`process/`) run the containers as processes; `etcd/` shows the cluster's etcd as a mirror pod.
 */

export { type EtcdClientConfig, type EtcdPod, startEtcdPod } from "./etcd/index.ts";
export type {
  ContainerLogOptions,
  ContainerRef,
  ContainerSession,
  ContainerSessionEnd,
  ContainerSessionOptions,
  NodeStreams,
  PodResourceUsage,
  ResourceUsage,
  TerminalSize,
} from "./node-streams.ts";
export {
  DEFAULT_IMAGES,
  type FaultTarget,
  findImageEntry,
  type ImageEntry,
  type ImageTable,
  type LoopbackOverrides,
  type NodeFaultInjector,
  type PodIsolationMode,
  type ProcessHost,
  type ProcessNode,
  type ProcessNodes,
  type ProcessNodesOptions,
  prepareProcessHost,
  startProcessNodes,
} from "./process/index.ts";
export {
  BEHAVIOUR_ANNOTATION,
  ENDS_AFTER_ANNOTATION,
  EXIT_CODE_ANNOTATION,
  LOGS_ANNOTATION,
  type PodBehaviour,
  READY_AFTER_ANNOTATION,
} from "./simulated/behaviour.ts";
export type { SimulatedNodeOptions } from "./simulated/node-status.ts";
export { createPodIpAllocator, type PodIpAllocator } from "./simulated/pod-ip-allocator.ts";
export { type RunningNode, startSimulatedNode } from "./simulated/simulated-node.ts";
export { DEFAULT_STAGES, type PodStage, type StageEvent } from "./simulated/stages.ts";

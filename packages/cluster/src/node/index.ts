/**
 * Nodes: what runs the pods. A node is an ordinary client of the API: it registers itself, keeps its lease, and moves
 * the pods bound to it through their lives. The simulated one has no machine behind it; process nodes run the containers here.
 */
export { type Addresses, addresses } from "./addresses.ts";
export { BEHAVIOUR, type Behaviour, ENDS_AFTER, EXIT_CODE, LOGS, READY_AFTER } from "./behaviour.ts";
export { type EtcdPlace, type EtcdPod, etcdPod } from "./etcd/index.ts";
export type { NodeFacts } from "./node-object.ts";
export {
  entryOf,
  type FaultKit,
  IMAGES,
  type ImageEntry,
  type ImageTable,
  type LoopbackRules,
  type Mode,
  type ProcessNode,
  type ProcessNodes,
  type ProcessNodesOptions,
  processNodes,
  processSite,
  type Site,
  type Victim,
} from "./process/index.ts";
export { type StreamingNode, simulatedNode } from "./simulated.ts";
export { type Said, STAGES, type Stage } from "./stages.ts";
export type {
  ContainerRef,
  LogOptions,
  NodeStreams,
  PodUsage,
  Session,
  SessionEnd,
  SessionOptions,
  TerminalSize,
  Usage,
} from "./streams.ts";

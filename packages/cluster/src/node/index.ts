/**
 * Nodes: what runs the pods. A node is an ordinary client of the API: it registers itself, keeps its lease, and moves
 * the pods bound to it through their lives. The simulated one has no machine behind it.
 */
export { type Addresses, addresses } from "./addresses.ts";
export { BEHAVIOUR, type Behaviour, ENDS_AFTER, EXIT_CODE, READY_AFTER } from "./behaviour.ts";
export type { NodeFacts } from "./node-object.ts";
export { simulatedNode } from "./simulated.ts";
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

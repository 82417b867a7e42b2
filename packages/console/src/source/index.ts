/**
 * What the console shows: a `ConsoleSource` is an embedded cluster, a trace file, or a running operator. It says what it can do; routes offer no more.
 */
export type {
  ActiveFault,
  ApplyResult,
  Capability,
  FaultRuleJson,
  Fork,
  PlanStep,
  QueueState,
  ReplayResult,
  WatchState,
} from "../protocol.ts";
export { ConsoleFailure, gone, invalid, notFound, unsupported } from "./console-failure.ts";
export type {
  ClusterState,
  ConsoleActions,
  ConsoleRecording,
  ConsoleSource,
  SourceFile,
  StoredCommit,
  StoredObject,
} from "./console-source.ts";
export { createStateFromFacts } from "./state-from-facts.ts";

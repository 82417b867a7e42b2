/**
 * The flight recorder: facts about what a controller did, and what caused it.
 *
 * In: calls of the controller runtime and of the embedded cluster at each enqueue, dropped event, run, plan, request and commit. Out: facts, one
 * JSON line each, in memory bounded by bytes, and `explainCommit`, which follows a commit back to the request that caused it. Every write of
 * a run carries its id as the `Audit-ID` header, so commits are joined to runs by id, never by time.
 */
export { causeOfChange } from "./cause-of-change.ts";
export { findCredentials } from "./credential-forms.ts";
export {
  type CausalIndex,
  type CommitExplanation,
  type CommitNode,
  createCausalIndex,
  explainCommit,
  type FieldDifference,
  formatExplanation,
  type RequestNode,
  type RunNode,
} from "./explain.ts";
export type {
  BuildFact,
  CommitFact,
  DropFact,
  DropReason,
  EnqueueFact,
  Fact,
  FaultFact,
  LogFact,
  NewFact,
  ObjectFact,
  ObjectIdentity,
  ObservedVersion,
  PlanFact,
  PlannedChange,
  PlannedStep,
  PlanState,
  RecordedCall,
  RequestFact,
  RunCause,
  RunFact,
  RunResult,
  WatchFact,
  WebhookFact,
} from "./facts.ts";
export { FACTS_VERSION } from "./facts.ts";
export { createFlightRecorder, type FlightRecorder, type FlightRecorderOptions, type RecordedKind } from "./flight-recorder.ts";
export type { Inference } from "./infer-cause.ts";
export { observeConnections, openOwnConnection } from "./observe-connections.ts";
export { createVersionObserver, toStorageResource, type VersionObserver } from "./observe-versions.ts";
export { createRedactor, HASH_KEY_BYTES, isRedacted, type Redactor } from "./redactor.ts";
export {
  createRunRecorder,
  enterRun,
  type RecordedRequest,
  type RecordedResponse,
  type RecordedRun,
  type RunRecorder,
  type RunRecorderOptions,
  runIdOfAuditId,
} from "./run-recorder.ts";
export { isSensitiveName } from "./secret-forms.ts";
export {
  builtInSensitiveFields,
  findSensitiveFields,
  type SensitiveFields,
  sensitiveFieldsOfKind,
  visitSensitiveDefaults,
  visitSensitiveValues,
} from "./sensitive-fields.ts";

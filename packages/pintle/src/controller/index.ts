/**
 * Controllers: declaring one, and running it over a cache and a client.
 *
 * In: events of the cache. Out: a plan (apply, skip, wait, prune, status), which is a plain value, and the requests that execute it.
 *
 * The path of an event: `startController` connects the event sources (`sources/`: predicate, key mapper) through the own-write filter to the work
 * queue; a worker (`worker/worker.ts`) takes a key and runs `reconcileUntilSettled`, which repeats `reconcileOnce`: call `reconcile`, then `plan`
 * (`plan/`), then `executePlan` (`apply/`). `declare/` holds `controller()`, its options and the RBAC rules derived from them. The sub-folders are
 * private to this folder.
 */
export { type Controller, controller } from "./declare/controller.ts";
export type {
  AnyDesiredState,
  ConditionValue,
  DesiredChild,
  DesiredChildren,
  DesiredState,
  DesiredStateToken,
  PendingFinalization,
} from "./declare/desired-state.ts";
export { unwrapDesiredState } from "./declare/desired-state.ts";
export { type Duration, durationToMilliseconds } from "./declare/duration.ts";
export { elsewhere } from "./declare/elsewhere.ts";
export { type ChildHistory, type HistoryLimits, keepLast } from "./declare/history.ts";
export {
  type AnnotationMapping,
  CONTROLLER_DEFAULTS,
  type ConditionsOf,
  type ControllerOptions,
  type DaemonContext,
  type EventPredicate,
  type LabelMapping,
  type MapFunction,
  type MetricsSource,
  type NameMapping,
  type NameReference,
  type OwnableKind,
  type OwnedKind,
  type OwnedLister,
  type OwnedObject,
  type ReconcileContext,
  type RecordEvent,
  type RecordEventOptions,
  type SelectorMapping,
  type StatusOf,
  type WatchDeclaration,
  type WatchMapping,
} from "./declare/options.ts";
export { grantPolicyRules, type PolicyRule, type PolicyRuleGrant } from "./declare/policy-rule-grant.ts";
export { policyRules, type ResourcePolicyRule } from "./declare/policy-rules.ts";
export type { ControllerDeps, ControllerObserver, EventRecorder, ReconcileResult, RecordedEvent } from "./deps.ts";
export {
  AlreadyOwned,
  type FailedOptions,
  failed,
  InvalidUsage,
  isProgrammingError,
  NotLeading,
  Oscillation,
  ReconcileError,
  ReconcileTimeout,
  TerminalError,
  terminal,
} from "./errors.ts";
export { type LogFields, type Logger, silentLogger } from "./logger.ts";
export { LAST_APPLIED_ANNOTATION, METADATA_PREFIX, type NamespacedName, OWNER_UID_LABEL, PAUSED_ANNOTATION } from "./names.ts";
export {
  type ApplyStep,
  formatPlan,
  isPlanSettled,
  type Plan,
  type PlanInput,
  type PlanStep,
  type PruneStep,
  plan,
  type SkipStep,
  type StatusStep,
  type WaitStep,
  type WriteStep,
} from "./plan/plan.ts";
export { predicates } from "./sources/predicates.ts";
export { type RunningController, startController } from "./start-controller.ts";
export { createConflictReporters } from "./worker/conflict-reporters.ts";
export { createPassGate } from "./worker/pass-gate.ts";
export { formatCall } from "./worker/pass-reads.ts";
export { createRecentDeletes } from "./worker/recent-deletes.ts";
export { recordLog } from "./worker/record-log.ts";
export { type ReplayedPlan, replayPass } from "./worker/replay-pass.ts";
export { createSpanLinks } from "./worker/span-links.ts";

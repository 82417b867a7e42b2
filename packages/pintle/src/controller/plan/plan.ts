import type { Json, JsonObject } from "../../json/index.ts";
import type { KindInfo } from "../../kinds/index.ts";
import { digest } from "../../merge/index.ts";
import type { Controller } from "../declare/controller.ts";
import type { AnyDesiredState, ConditionValue } from "../declare/desired-state.ts";
import { formatObject, type NamespacedName } from "../names.ts";
import type { OwnerObject } from "./child-body.ts";
import type { LiveJsonObject, SettledSnapshot, SettledSnapshots } from "./decide.ts";
import type { DesiredDigests } from "./desired-digests.ts";
import { buildFailureStatus, type FailureStatusInput } from "./failure-status.ts";
import { planChildren, resolveChildren } from "./plan-children.ts";
import {
  buildKeptStatus,
  buildStatus,
  formatRfc3339,
  isConditionsOnly,
  isStatusSettled,
  isStatusStored,
  withoutConflict,
} from "./status.ts";

/** One step of a plan: what to do about one object. */
export type PlanStep = ApplyStep | SkipStep | WaitStep | PruneStep | StatusStep | WriteStep;
/** The object of a step. */
interface StepTarget extends NamespacedName {
  readonly kind: KindInfo;
  readonly reason: string;
}
/** Applies a child with server-side apply. */
export interface ApplyStep extends StepTarget {
  readonly step: "apply";
  /** The key of the child in `children`. */
  readonly child: string;
  readonly body: JsonObject;
  /** The digest of the body. */
  readonly desiredDigest: string;
  readonly live: LiveJsonObject | undefined;
  /** Whether the desired state is unchanged and another writer has changed the child. */
  readonly isRepair: boolean;
  /** Whether nothing is applied if the object exists. */
  readonly isCreateOnly: boolean;
  /** Whether a live read must precede the apply: the cache holds only cross-namespace children with the owner label, and can be behind. */
  readonly needsLiveRead: boolean;
}
/** Leaves a child that is up to date. */
export interface SkipStep extends StepTarget {
  readonly step: "skip";
  readonly child: string;
  readonly uid: string;
  readonly snapshot: SettledSnapshot | undefined;
}
/** Waits for another child or for its kind, or backs off from a conflict: neither applied nor pruned. */
export interface WaitStep extends StepTarget {
  readonly step: "wait";
  /** The key of the child in `children`; `undefined` for a child that is no longer desired and is pruned later, and for the status. */
  readonly child: string | undefined;
  /** Whether it waits for the children in its `after`. */
  readonly isOrdered?: boolean | undefined;
}
/** Deletes a child that is no longer desired. */
export interface PruneStep extends StepTarget {
  readonly step: "prune";
  readonly uid: string;
}
/** Applies the status of the reconciled object. */
export interface StatusStep extends StepTarget {
  readonly step: "status";
  readonly uid: string;
  readonly status: JsonObject;
  /** Which part is written; each has its own field manager. */
  readonly part: "status" | "conditions";
  /** The digest of what `want` says about the status; `undefined` if the step keeps the live status and only adds the condition `Conflict`. */
  readonly desiredDigest: string | undefined;
}
/** A write that `reconcile` or `finalize` made with `client`. It precedes the plan and is not executed with it. */
export interface WriteStep extends StepTarget {
  readonly step: "write";
  /** "create", "patch", "delete", "apply status of", ... */
  readonly verb: string;
}
/** The difference between desired and live state: a plain value that can be executed, logged or asserted. */
export type Plan = readonly PlanStep[];

/** The input of `plan()`. */
export interface PlanInput {
  readonly controller: Controller;
  readonly object: LiveJsonObject;
  readonly want: AnyDesiredState;
  /** Returns an object of an owned kind from the cache. */
  readonly getLive: (kind: KindInfo, at: NamespacedName) => LiveJsonObject | undefined;
  /** Returns false for an optional kind whose CRD is not installed. */
  readonly isServed: (kind: KindInfo) => boolean;
  /** Lists the children of a kind from the cache. */
  readonly listOwned: (kind: KindInfo) => readonly LiveJsonObject[];
  readonly settledSnapshots: SettledSnapshots;
  readonly desiredDigests: DesiredDigests;
  /** Why a child must not be repaired, created again or pruned now, by `contestOf`. */
  readonly describeBlocked: (contest: string) => string | undefined;
  /** The repeated writes of the status, and what is known of the last one. */
  readonly statusWrites: StatusWrites;
  /** Returns the `Conflict` condition after the children were planned. */
  readonly describeConflict: (children: Plan) => ConditionValue | undefined;
  /** The failure that `want` reports with `failure`. */
  readonly failure?: FailureStatusInput | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether `deferStatus` follows: the status of a plan that changes children need not be computed. Default: false. */
  readonly defersStatus?: boolean | undefined;
}

/** What is known of the writes of one object's status. */
export interface StatusWrites {
  /** Whether the same status was written again lately, so that a conflict can end. */
  readonly isContested: boolean;
  /** The digest of the status that this process applied last; `undefined` unless the object has status fields of other writers beside it. */
  readonly appliedDigest: string | undefined;
  /** Why the status must not be written now. */
  describeBlocked(desiredDigest: string): string | undefined;
  /** Records that the status is as desired. */
  recordUnchanged(): void;
}

/** Plans what to write. Pure. Throws `InvalidUsage` or `AlreadyOwned` for a desired state that cannot be applied. */
export function plan(input: PlanInput): Plan {
  const { controller, object, want } = input;
  const parent: OwnerObject = { kind: controller.kind, metadata: object.metadata };
  const steps: PlanStep[] = [];
  if (want.children !== undefined) {
    steps.push(...planChildren(input, resolveChildren(controller, parent, want.children)));
  }
  const { statusWrites, failure } = input;
  // Only the status of a contested object can leave more in the plan than a status step.
  if (input.defersStatus === true && !statusWrites.isContested && steps.some(changesChild)) {
    input.describeConflict(steps);
    return steps;
  }
  const now = formatRfc3339(input.now);
  const planStatusOf = (live: LiveJsonObject, conflict: ConditionValue | undefined) =>
    planStatus({ controller, object: live, want, failure, now, conflict, appliedDigest: statusWrites.appliedDigest });
  if (statusWrites.isContested && planStatusOf(withoutConflict(controller, object), undefined) === undefined)
    statusWrites.recordUnchanged();
  const conflict = input.describeConflict(steps);
  const step = planStatusOf(object, conflict);
  if (step === undefined) return steps;
  const blocked = step.desiredDigest === undefined ? undefined : statusWrites.describeBlocked(step.desiredDigest);
  return [...steps, ...(blocked === undefined ? [step] : planBlockedStatus(input, blocked, now, conflict))];
}

/** What the status of an object follows from. */
export interface DesiredStatusInput {
  readonly controller: Pick<Controller, "kind" | "name">;
  readonly object: LiveJsonObject;
  readonly want: AnyDesiredState;
  readonly failure?: FailureStatusInput | undefined;
  /** RFC 3339. */
  readonly now: string;
  readonly conflict: ConditionValue | undefined;
  /** See `StatusWrites`. */
  readonly appliedDigest: string | undefined;
}

/** Plans the status of the reconciled object; `undefined` if it is already stored. */
export function planStatus({
  controller,
  object,
  want,
  failure,
  now,
  conflict,
  appliedDigest,
}: DesiredStatusInput): StatusStep | undefined {
  const status =
    failure === undefined
      ? buildStatus(controller, want, object, now, conflict)
      : buildFailureStatus(controller, want, object, failure, now, conflict);
  if (status === undefined || isStatusSettled(controller, status, object)) return undefined;
  const desiredDigest = digest([object.metadata.generation ?? 0, want.status ?? null, want.conditions ?? null, failure ?? null] as Json);
  // What was applied is stored, beside fields of other writers, which an apply leaves.
  if (appliedDigest === desiredDigest && isStatusStored(controller, status, object)) return undefined;
  return toStatusStep(controller, object, status, desiredDigest, isConditionsOnly(controller.kind, want) ? "conditions" : "status");
}

/** Plans the status of an object while another writer keeps changing it: what is stored stays, and `Conflict` says why. */
function planBlockedStatus(
  { controller, object, want }: PlanInput,
  reason: string,
  now: string,
  conflict: ConditionValue | undefined,
): readonly PlanStep[] {
  const { kind } = controller;
  const { name, namespace } = object.metadata;
  const wait: WaitStep = { step: "wait", kind, name, namespace, child: undefined, reason };
  const kept = buildKeptStatus(controller, object, now, conflict);
  if (kept === undefined || isConditionsOnly(kind, want) || isStatusSettled(controller, kept, object)) return [wait];
  return [wait, toStatusStep(controller, object, kept, undefined, "status")];
}

function toStatusStep(
  { kind }: Pick<Controller, "kind">,
  object: LiveJsonObject,
  status: JsonObject,
  desiredDigest: string | undefined,
  part: StatusStep["part"],
): StatusStep {
  const { name, namespace, uid } = object.metadata;
  const reason = object["status"] === undefined ? "missing" : "differs";
  return { step: "status", kind, name, namespace, uid, reason, status, part, desiredDigest };
}

/** Returns whether executing the plan writes nothing. */
export function isPlanSettled(plan: Plan): boolean {
  return plan.every(({ step }) => step === "skip" || step === "wait");
}

/**
 * Takes the status out of a plan that changes children. The status was computed from the old children and would report their state for the new
 * generation; the next pass computes it again from the new ones.
 */
export function deferStatus(plan: Plan): Plan {
  return plan.some(changesChild) ? plan.filter(({ step }) => step !== "status") : plan;
}
const changesChild = ({ step }: PlanStep) => step === "apply" || step === "prune";

/** Formats a plan for a log line: "apply deployment Deployment default/a (missing), status Memcached default/a (differs)". */
export function formatPlan(plan: Plan): string {
  const parts = plan
    .filter(({ step }) => step !== "skip")
    .map((step) => `${step.step === "write" ? step.verb : step.step} ${formatStepTarget(step)} (${step.reason})`);
  return parts.length === 0 ? "nothing to do" : parts.join(", ");
}
function formatStepTarget(step: PlanStep): string {
  return "child" in step && step.child !== undefined ? `${step.child} ${formatObject(step.kind, step)}` : formatObject(step.kind, step);
}

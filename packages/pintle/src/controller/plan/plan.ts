import type { JsonObject } from "../../json/index.ts";
import type { KindInfo } from "../../kinds/index.ts";
import type { Controller } from "../declare/controller.ts";
import type { AnyDesiredState, ConditionValue } from "../declare/desired-state.ts";
import { formatObject, type NamespacedName } from "../names.ts";
import type { OwnerObject } from "./child-body.ts";
import type { LiveJsonObject, SettledSnapshot, SettledSnapshots } from "./decide.ts";
import type { DesiredDigests } from "./desired-digests.ts";
import { buildFailureStatus, type FailureStatusInput } from "./failure-status.ts";
import { planChildren, resolveChildren } from "./plan-children.ts";
import { buildStatus, formatRfc3339, isConditionsOnly, isStatusSettled } from "./status.ts";

/** One step of a plan: what to do about one object. */
export type PlanStep = ApplyStep | SkipStep | WaitStep | PruneStep | StatusStep;
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
/** Waits for another child or for its kind: neither applied nor pruned. */
export interface WaitStep extends StepTarget {
  readonly step: "wait";
  /** The key of the child in `children`; `undefined` for a child that is no longer desired and is pruned later. */
  readonly child: string | undefined;
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
  /** Why a child must not be repaired now, by "Kind namespace/name". */
  readonly describeBlocked: (child: string) => string | undefined;
  /** Returns the `Conflict` condition after the children were planned. */
  readonly describeConflict: (children: Plan) => ConditionValue | undefined;
  /** The failure that `want` reports with `failure`. */
  readonly failure?: FailureStatusInput | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Plans what to write. Pure. Throws `InvalidUsage` or `AlreadyOwned` for a desired state that cannot be applied. */
export function plan(input: PlanInput): Plan {
  const { controller, object, want } = input;
  const parent: OwnerObject = { kind: controller.kind, metadata: object.metadata };
  const steps: PlanStep[] = [];
  if (want.children !== undefined) {
    steps.push(...planChildren(input, resolveChildren(controller, parent, want.children)));
  }
  const conflict = input.describeConflict(steps);
  const now = formatRfc3339(input.now);
  const status =
    input.failure === undefined
      ? buildStatus(controller, want, object, now, conflict)
      : buildFailureStatus(controller, want, object, input.failure, now, conflict);
  if (status !== undefined) steps.push(...planStatus(controller, object, status, isConditionsOnly(controller.kind, want)));
  return steps;
}

/** Plans the status of the reconciled object; nothing if it is already stored. */
export function planStatus(
  controller: Pick<Controller, "kind" | "name">,
  object: LiveJsonObject,
  status: JsonObject,
  isConditionsOnly = false,
): readonly StatusStep[] {
  if (isStatusSettled(controller, status, object)) return [];
  const { kind } = controller;
  const { name, namespace, uid } = object.metadata;
  const reason = object["status"] === undefined ? "missing" : "differs";
  return [{ step: "status", kind, name, namespace, uid, reason, status, part: isConditionsOnly ? "conditions" : "status" }];
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
  return plan.some(({ step }) => step === "apply" || step === "prune") ? plan.filter(({ step }) => step !== "status") : plan;
}

/** Formats a plan for a log line: "apply deployment Deployment default/a (missing), status Memcached default/a (differs)". */
export function formatPlan(plan: Plan): string {
  const parts = plan.filter(({ step }) => step !== "skip").map((step) => `${step.step} ${formatStepTarget(step)} (${step.reason})`);
  return parts.length === 0 ? "nothing to do" : parts.join(", ");
}
function formatStepTarget(step: PlanStep): string {
  return "child" in step && step.child !== undefined ? `${step.child} ${formatObject(step.kind, step)}` : formatObject(step.kind, step);
}

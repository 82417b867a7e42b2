import type { JsonObject } from "pintle/kinds";
import { type ApiApprovalState, getApiApproval } from "../../schema/crd/index.ts";

/** A condition of a CustomResourceDefinition. */
export interface CrdCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime?: string | undefined;
}

export function getConditions(crd: JsonObject): readonly CrdCondition[] {
  return (((crd["status"] as JsonObject | undefined)?.["conditions"] as readonly unknown[] | undefined) ?? []) as readonly CrdCondition[];
}

export function findCondition(crd: JsonObject, type: string): CrdCondition | undefined {
  return getConditions(crd).find((each) => each.type === type);
}

export function isConditionTrue(crd: JsonObject, type: string): boolean {
  return findCondition(crd, type)?.status === "True";
}

/** Returns the CRD with the condition set; the transition time changes only with the status. */
export function setCondition(crd: JsonObject, next: CrdCondition, now: string): JsonObject {
  const before = findCondition(crd, next.type);
  const lastTransitionTime = before?.status === next.status ? before.lastTransitionTime : now;
  const timed = { ...next, lastTransitionTime } as unknown as JsonObject;
  const conditions =
    before === undefined ? [...getConditions(crd), timed] : getConditions(crd).map((each) => (each === before ? timed : each));
  return mergeStatus(crd, { conditions: conditions as readonly JsonObject[] });
}

export function mergeStatus(crd: JsonObject, change: JsonObject): JsonObject {
  return { ...crd, status: { ...(crd["status"] as JsonObject | undefined), ...change } };
}

const APPROVAL_CONDITION = "KubernetesAPIApprovalPolicyConformant";
const APPROVAL_REASONS: Readonly<Record<ApiApprovalState, string>> = {
  missing: "MissingAnnotation",
  bypassed: "UnapprovedAnnotation",
  approved: "ApprovedAnnotation",
  invalid: "InvalidAnnotation",
};

/** Returns the CRD with the condition about API approval, which groups of the Kubernetes project have. */
export function setApprovalCondition(crd: JsonObject, now: string): JsonObject {
  const approval = getApiApproval(crd as never);
  if (approval === undefined) return crd;
  const { state, message } = approval;
  const next: CrdCondition = {
    type: APPROVAL_CONDITION,
    status: state === "approved" ? "True" : "False",
    reason: APPROVAL_REASONS[state],
    message,
  };
  const before = findCondition(crd, APPROVAL_CONDITION);
  const same = before?.status === next.status && before.reason === next.reason && before.message === next.message;
  return same ? crd : setCondition(crd, next, now);
}

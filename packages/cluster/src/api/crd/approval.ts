import type { JsonObject } from "pintle/kinds";
import { type CrdApproval, crdApproval } from "../../schema/index.ts";
import { type CrdCondition, condition, withCondition } from "./condition.ts";

const TYPE = "KubernetesAPIApprovalPolicyConformant";
const REASONS: Readonly<Record<CrdApproval, string>> = {
  missing: "MissingAnnotation",
  bypassed: "UnapprovedAnnotation",
  approved: "ApprovedAnnotation",
  invalid: "InvalidAnnotation",
};

/** The CRD with the condition that groups of the Kubernetes project carry: whether their API was approved. */
export function withApproval(crd: JsonObject, now: string): JsonObject {
  const approval = crdApproval(crd as never);
  if (approval === undefined) return crd;
  const { state, message } = approval;
  const next: CrdCondition = { type: TYPE, status: state === "approved" ? "True" : "False", reason: REASONS[state], message };
  const before = condition(crd, TYPE);
  const same = before?.status === next.status && before.reason === next.reason && before.message === next.message;
  return same ? crd : withCondition(crd, next, now);
}

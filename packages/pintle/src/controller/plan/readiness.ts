import type { JsonObject } from "../../json/index.ts";
import type { KindInfo } from "../../kinds/index.ts";
import type { LiveJsonObject } from "./decide.ts";

/** Returns whether an object is ready: as `kubectl rollout status` decides; for other kinds, whether its Ready condition, if any, is not False or Unknown. */
export function isReady(kind: KindInfo, live: LiveJsonObject): boolean {
  if (live.metadata.deletionTimestamp !== undefined) return false;
  const known = READINESS_CHECKS[`${kind.group}/${kind.kind}`];
  const spec = (live["spec"] ?? {}) as JsonObject;
  const status = (live["status"] ?? {}) as JsonObject;
  if (known !== undefined) return known(spec, status, live);
  if (typeof status["observedGeneration"] === "number" && !isCurrent(status, live)) return false;
  return conditionStatus(status, "Ready") !== "False" && conditionStatus(status, "Ready") !== "Unknown";
}

/** Describes why an object is not ready, for the reason of a step: "terminating", "failed: BackoffLimitExceeded" or "not ready". */
export function describeUnready(kind: KindInfo, live: LiveJsonObject): string {
  if (live.metadata.deletionTimestamp !== undefined) return "terminating";
  const status = (live["status"] ?? {}) as JsonObject;
  const failed = kind.group === "batch" && kind.kind === "Job" ? findCondition(status, "Failed") : undefined;
  return failed?.status === "True" ? `failed: ${failed.reason}` : "not ready";
}

type ReadinessCheck = (spec: JsonObject, status: JsonObject, live: LiveJsonObject) => boolean;
const toCount = (value: unknown, otherwise = 0) => (typeof value === "number" ? value : otherwise);
const isCurrent = (status: JsonObject, live: LiveJsonObject) => toCount(status["observedGeneration"]) >= (live.metadata.generation ?? 0);
/** Returns the condition of a type. */
export const findCondition = (status: JsonObject, type: string) =>
  ((status["conditions"] ?? []) as unknown as { type: string; status: string; reason?: string }[]).find((each) => each.type === type);
const conditionStatus = (status: JsonObject, type: string) => findCondition(status, type)?.status;

const READINESS_CHECKS: Readonly<Record<string, ReadinessCheck>> = {
  "apps/Deployment"(spec, status, live) {
    const desired = toCount(spec["replicas"], 1);
    const updated = toCount(status["updatedReplicas"]);
    return (
      isCurrent(status, live) &&
      updated >= desired &&
      toCount(status["replicas"]) <= updated &&
      toCount(status["availableReplicas"]) >= updated
    );
  },
  "apps/StatefulSet"(spec, status, live) {
    const desired = toCount(spec["replicas"], 1);
    return isCurrent(status, live) && toCount(status["readyReplicas"]) >= desired && toCount(status["updatedReplicas"], desired) >= desired;
  },
  "apps/DaemonSet"(_, status, live) {
    const desired = toCount(status["desiredNumberScheduled"]);
    return isCurrent(status, live) && toCount(status["updatedNumberScheduled"]) >= desired && toCount(status["numberAvailable"]) >= desired;
  },
  "apps/ReplicaSet": (spec, status, live) =>
    isCurrent(status, live) && toCount(status["availableReplicas"]) >= toCount(spec["replicas"], 1),
  "batch/Job": (_, status) => conditionStatus(status, "Complete") === "True",
  "/Pod": (_, status) => conditionStatus(status, "Ready") === "True" || status["phase"] === "Succeeded",
  "/PersistentVolumeClaim": (_, status) => status["phase"] === "Bound",
  "/Namespace": (_, status) => status["phase"] === "Active",
  "/Service"(spec, status) {
    const ingress = ((status["loadBalancer"] ?? {}) as JsonObject)["ingress"];
    return spec["type"] !== "LoadBalancer" || (Array.isArray(ingress) && ingress.length > 0);
  },
  "apiextensions.k8s.io/CustomResourceDefinition": (_, status) => conditionStatus(status, "Established") === "True",
};

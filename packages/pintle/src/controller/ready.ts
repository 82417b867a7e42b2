import type { JsonObject, KindFacts } from "../kinds/index.ts";
import type { Live } from "./decide.ts";

/** Is the object as far as it can get by itself? What `kubectl rollout status` would say; for kinds it does not know, the Ready condition, if there is one. */
export function isReady(kind: KindFacts, live: Live): boolean {
  if (live.metadata.deletionTimestamp !== undefined) return false;
  const known = READY[`${kind.group}/${kind.kind}`];
  const spec = (live["spec"] ?? {}) as JsonObject;
  const status = (live["status"] ?? {}) as JsonObject;
  if (known !== undefined) return known(spec, status, live);
  if (typeof status["observedGeneration"] === "number" && !isCurrent(status, live)) return false;
  return condition(status, "Ready") !== "False" && condition(status, "Ready") !== "Unknown";
}

type Check = (spec: JsonObject, status: JsonObject, live: Live) => boolean;
const count = (value: unknown, otherwise = 0) => (typeof value === "number" ? value : otherwise);
const isCurrent = (status: JsonObject, live: Live) => count(status["observedGeneration"]) >= (live.metadata.generation ?? 0);
const condition = (status: JsonObject, type: string) =>
  ((status["conditions"] ?? []) as unknown as { type: string; status: string }[]).find((each) => each.type === type)?.status;

const READY: Readonly<Record<string, Check>> = {
  "apps/Deployment"(spec, status, live) {
    const wanted = count(spec["replicas"], 1);
    const updated = count(status["updatedReplicas"]);
    return (
      isCurrent(status, live) && updated >= wanted && count(status["replicas"]) <= updated && count(status["availableReplicas"]) >= updated
    );
  },
  "apps/StatefulSet"(spec, status, live) {
    const wanted = count(spec["replicas"], 1);
    return isCurrent(status, live) && count(status["readyReplicas"]) >= wanted && count(status["updatedReplicas"], wanted) >= wanted;
  },
  "apps/DaemonSet"(_, status, live) {
    const wanted = count(status["desiredNumberScheduled"]);
    return isCurrent(status, live) && count(status["updatedNumberScheduled"]) >= wanted && count(status["numberAvailable"]) >= wanted;
  },
  "apps/ReplicaSet": (spec, status, live) => isCurrent(status, live) && count(status["availableReplicas"]) >= count(spec["replicas"], 1),
  "batch/Job": (_, status) => condition(status, "Complete") === "True",
  "/Pod": (_, status) => condition(status, "Ready") === "True" || status["phase"] === "Succeeded",
  "/PersistentVolumeClaim": (_, status) => status["phase"] === "Bound",
  "/Namespace": (_, status) => status["phase"] === "Active",
  "/Service"(spec, status) {
    const ingress = ((status["loadBalancer"] ?? {}) as JsonObject)["ingress"];
    return spec["type"] !== "LoadBalancer" || (Array.isArray(ingress) && ingress.length > 0);
  },
  "apiextensions.k8s.io/CustomResourceDefinition": (_, status) => condition(status, "Established") === "True",
};

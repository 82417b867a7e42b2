import { isJsonObject } from "pintle/internal/json";
import type { JsonObject } from "pintle/kinds";
import type { ConditionState, ObjectSummary } from "../protocol.ts";

type State = Pick<ObjectSummary, "state" | "stateText">;
const state = (value: State["state"], stateText: string): State => ({ state: value, stateText });

/** The conditions of an object, as far as they are ones. */
export function listConditions(object: JsonObject): readonly ConditionState[] {
  const status = object["status"];
  const conditions = isJsonObject(status) ? status["conditions"] : undefined;
  if (!Array.isArray(conditions)) return [];
  return conditions.filter(isJsonObject).map((condition) => ({
    type: String(condition["type"] ?? ""),
    status: String(condition["status"] ?? ""),
    reason: String(condition["reason"] ?? ""),
    message: String(condition["message"] ?? ""),
    since: parseTime(condition["lastTransitionTime"]),
  }));
}

export function parseTime(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Conditions whose "False" means that something is wrong, the most telling first. */
const READY = ["Ready", "Available", "Complete", "Succeeded", "Established", "Installed", "Synced"];
/** Conditions whose "True" means that something is wrong. */
const BROKEN = ["Failed", "Degraded", "Stalled", "ReplicaFailure", "Error", "Conflict"];

/** Says in what state an object is, from its status. */
export function stateOf(object: JsonObject): State {
  const metadata = (object["metadata"] ?? {}) as JsonObject;
  if (metadata["deletionTimestamp"] !== undefined) return state("progressing", "is being deleted");
  const kind = String(object["kind"]);
  const status = isJsonObject(object["status"]) ? object["status"] : undefined;
  if (kind === "Pod") return stateOfPod(status ?? {});
  const conditions = listConditions(object);
  const broken = conditions.find(({ type, status: value }) => BROKEN.includes(type) && value === "True");
  if (broken !== undefined) return state("failed", explain(broken));
  const replicas = stateOfReplicas(kind, object, status);
  if (replicas !== undefined && replicas.state !== "ok") return replicas;
  const ready = READY.map((type) => conditions.find((condition) => condition.type === type)).find((found) => found !== undefined);
  if (ready !== undefined) {
    if (ready.status === "True") return state("ok", ready.type);
    const isProgressing =
      ready.status === "Unknown" ||
      conditions.some(({ type, status: value }) => /^(Progressing|Reconciling)$/.test(type) && value === "True");
    return state(isProgressing ? "progressing" : "failed", explain(ready));
  }
  if (replicas !== undefined) return replicas;
  const phase = status?.["phase"];
  if (typeof phase === "string")
    return state(/fail|error|lost/i.test(phase) ? "failed" : /pending|creating|terminating/i.test(phase) ? "progressing" : "ok", phase);
  return state(status === undefined || conditions.length > 0 ? "ok" : "unknown", "");
}

const explain = ({ type, status, reason, message }: ConditionState) =>
  `${type === "" ? "" : status === "True" ? type : `not ${type}`}${reason === "" ? "" : `: ${reason}`}${message === "" ? "" : `: ${message}`}`.slice(
    0,
    300,
  );

function stateOfReplicas(kind: string, object: JsonObject, status: JsonObject | undefined): State | undefined {
  if (!/^(Deployment|ReplicaSet|StatefulSet|DaemonSet)$/.test(kind)) return undefined;
  const spec = (object["spec"] ?? {}) as JsonObject;
  const wanted = Number(kind === "DaemonSet" ? (status?.["desiredNumberScheduled"] ?? 0) : (spec["replicas"] ?? 1));
  const ready = Number((kind === "DaemonSet" ? status?.["numberReady"] : status?.["readyReplicas"]) ?? 0);
  return state(ready >= wanted ? "ok" : "progressing", `${ready}/${wanted} ready`);
}

function stateOfPod(status: JsonObject): State {
  const containers = [...listOf(status["initContainerStatuses"]), ...listOf(status["containerStatuses"])];
  for (const { name, state: current } of containers as readonly { readonly name?: string; readonly state?: JsonObject }[]) {
    const waiting = current?.["waiting"] as { readonly reason?: string; readonly message?: string } | undefined;
    if (waiting?.reason !== undefined && !/^(ContainerCreating|PodInitializing)$/.test(waiting.reason))
      return state("failed", `${name}: ${waiting.reason}${waiting.message === undefined ? "" : `: ${waiting.message}`}`.slice(0, 300));
  }
  const phase = String(status["phase"] ?? "Unknown");
  if (phase === "Failed") return state("failed", "Failed");
  if (phase === "Succeeded") return state("ok", "Succeeded");
  const ready = listOf(status["conditions"]).some((condition) => condition["type"] === "Ready" && condition["status"] === "True");
  return state(ready ? "ok" : "progressing", ready ? "Ready" : phase);
}

const listOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

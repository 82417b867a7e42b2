import type { JsonObject } from "pintle/kinds";
import type { PersistentVolumeClaim, Pod, Service } from "pintle/kinds/core/v1";
import type { Unvalidated } from "../draft.ts";
import { sumPodResources } from "../pod-resources.ts";
import { addQuantities } from "../quantities.ts";

/** Quantities by resource name, as in `spec.hard`. */
export type QuotaUsage = Readonly<Record<string, string>>;

/** Resource names of the legacy object counts. */
const LEGACY_COUNT_NAMES = new Set([
  "configmaps",
  "secrets",
  "replicationcontrollers",
  "resourcequotas",
  "services",
  "persistentvolumeclaims",
]);

/** Returns the usage that an object charges to quotas. */
export function getQuotaUsage(group: string, plural: string, object: JsonObject): QuotaUsage {
  const counted: Record<string, string> = { [`count/${plural}${group === "" ? "" : `.${group}`}`]: "1" };
  if (group !== "") return counted;
  if (LEGACY_COUNT_NAMES.has(plural)) counted[plural] = "1";
  if (plural === "pods") return { ...counted, ...getPodUsage(object as Unvalidated<Pod>) };
  if (plural === "services") return { ...counted, ...getServiceUsage(object as Unvalidated<Service>) };
  if (plural === "persistentvolumeclaims") return { ...counted, ...getClaimUsage(object as Unvalidated<PersistentVolumeClaim>) };
  return counted;
}

/** Returns the usage of a pod; a finished pod only counts as an object. */
function getPodUsage(pod: Unvalidated<Pod>): QuotaUsage {
  if (pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed") return {};
  const usage: Record<string, string> = { pods: "1" };
  for (const [name, value] of Object.entries(sumPodResources(pod, "requests"))) {
    usage[`requests.${name}`] = value;
    if (/^(cpu|memory|ephemeral-storage|hugepages-.*)$/.test(name)) usage[name] = value;
  }
  for (const [name, value] of Object.entries(sumPodResources(pod, "limits"))) usage[`limits.${name}`] = value;
  return usage;
}

function getServiceUsage({ spec }: Unvalidated<Service>): QuotaUsage {
  const balanced = spec?.type === "LoadBalancer";
  const open = spec?.type === "NodePort" || (balanced && spec?.allocateLoadBalancerNodePorts !== false);
  return {
    "services.nodeports": String(open ? (spec?.ports?.length ?? 0) : 0),
    "services.loadbalancers": balanced ? "1" : "0",
  };
}

function getClaimUsage({ spec, metadata }: Unvalidated<PersistentVolumeClaim>): QuotaUsage {
  const storage = spec?.resources?.requests?.["storage"];
  const kind = metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName;
  const ofClass = kind ? `${kind}.storageclass.storage.k8s.io/` : undefined;
  return {
    ...(storage == null ? {} : { "requests.storage": storage }),
    ...(ofClass === undefined ? {} : { [`${ofClass}persistentvolumeclaims`]: "1" }),
    ...(ofClass === undefined || storage == null ? {} : { [`${ofClass}requests.storage`]: storage }),
  };
}

/** Sums the usage of the given resource names; unused ones are "0". */
export function sumQuotaUsage(names: readonly string[], all: readonly QuotaUsage[]): QuotaUsage {
  const total: Record<string, string> = {};
  for (const name of names) {
    total[name] = all.reduce(
      (sum, usage) => (usage[name] === undefined ? sum : sum === "0" ? usage[name] : addQuantities(sum, usage[name])),
      "0",
    );
  }
  return total;
}

import type { JsonObject } from "pintle/kinds";
import type { PersistentVolumeClaim, Pod, Service } from "pintle/kinds/core/v1";
import { podTotals } from "../core/pod-totals.ts";
import type { Loose } from "../draft.ts";
import { addQuantities } from "../text/quantities.ts";

/** By the name in `spec.hard`, as quantities. */
export type Usage = Readonly<Record<string, string>>;

/** Names that older quotas count kinds by. */
const BY_PLAIN_NAME = new Set(["configmaps", "secrets", "replicationcontrollers", "resourcequotas", "services", "persistentvolumeclaims"]);

/** What one object takes from a quota. */
export function usageOf(group: string, plural: string, object: JsonObject): Usage {
  const counted: Record<string, string> = { [`count/${plural}${group === "" ? "" : `.${group}`}`]: "1" };
  if (group !== "") return counted;
  if (BY_PLAIN_NAME.has(plural)) counted[plural] = "1";
  if (plural === "pods") return { ...counted, ...podUsage(object as Loose<Pod>) };
  if (plural === "services") return { ...counted, ...serviceUsage(object as Loose<Service>) };
  if (plural === "persistentvolumeclaims") return { ...counted, ...claimUsage(object as Loose<PersistentVolumeClaim>) };
  return counted;
}

/** A pod that has ended takes nothing but its place. */
function podUsage(pod: Loose<Pod>): Usage {
  if (pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed") return {};
  const usage: Record<string, string> = { pods: "1" };
  for (const [name, value] of Object.entries(podTotals(pod, "requests"))) {
    usage[`requests.${name}`] = value;
    if (/^(cpu|memory|ephemeral-storage|hugepages-.*)$/.test(name)) usage[name] = value;
  }
  for (const [name, value] of Object.entries(podTotals(pod, "limits"))) usage[`limits.${name}`] = value;
  return usage;
}

function serviceUsage({ spec }: Loose<Service>): Usage {
  const balanced = spec?.type === "LoadBalancer";
  const open = spec?.type === "NodePort" || (balanced && spec?.allocateLoadBalancerNodePorts !== false);
  return {
    "services.nodeports": String(open ? (spec?.ports?.length ?? 0) : 0),
    "services.loadbalancers": balanced ? "1" : "0",
  };
}

function claimUsage({ spec, metadata }: Loose<PersistentVolumeClaim>): Usage {
  const storage = spec?.resources?.requests?.["storage"];
  const kind = metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName;
  const ofClass = kind ? `${kind}.storageclass.storage.k8s.io/` : undefined;
  return {
    ...(storage == null ? {} : { "requests.storage": storage }),
    ...(ofClass === undefined ? {} : { [`${ofClass}persistentvolumeclaims`]: "1" }),
    ...(ofClass === undefined || storage == null ? {} : { [`${ofClass}requests.storage`]: storage }),
  };
}

/** Only what `names` asks for; what nobody uses is 0. */
export function sumUsage(names: readonly string[], all: readonly Usage[]): Usage {
  const total: Record<string, string> = {};
  for (const name of names) {
    total[name] = all.reduce(
      (sum, usage) => (usage[name] === undefined ? sum : sum === "0" ? usage[name] : addQuantities(sum, usage[name])),
      "0",
    );
  }
  return total;
}

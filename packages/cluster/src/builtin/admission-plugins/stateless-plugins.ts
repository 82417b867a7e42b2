/** Admission plugins that read nothing but the request: no store, clock or authorizer. */
import type { Node, Pod, Service } from "pintle/kinds/core/v1";
import type { Unvalidated } from "../draft.ts";
import { createForbiddenError, createResourcePlugin } from "./resource-plugin.ts";

/** Sets imagePullPolicy=Always on all containers, so that every pod needs credentials for its images. */
export const alwaysPullImages = createResourcePlugin<Pod>("AlwaysPullImages", {
  group: "",
  plural: "pods",
  operations: ["CREATE", "UPDATE"],
  mutate({ spec }) {
    for (const container of [...(spec?.initContainers ?? []), ...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])]) {
      container.imagePullPolicy = "Always";
    }
  },
});

const HOSTNAME_LABEL = "kubernetes.io/hostname";

/** Rejects required pod anti-affinity with a topology key other than the hostname. */
export const limitPodHardAntiAffinityTopology = createResourcePlugin<Pod>("LimitPodHardAntiAffinityTopology", {
  group: "",
  plural: "pods",
  operations: ["CREATE", "UPDATE"],
  validate({ spec }, request) {
    const required = spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const other = required.find(({ topologyKey }) => topologyKey !== HOSTNAME_LABEL);
    if (other === undefined) return;
    const what = "affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey";
    throw createForbiddenError(request, `${what} ${other.topologyKey} but only key ${HOSTNAME_LABEL} is allowed`);
  },
});

/** Rejects new external IPs of services; existing ones may stay or be removed. */
export const denyServiceExternalIps = createResourcePlugin<Service>("DenyServiceExternalIPs", {
  group: "",
  plural: "services",
  operations: ["CREATE", "UPDATE"],
  validate({ spec }, request) {
    const before = (request.live as Unvalidated<Service> | undefined)?.spec?.externalIPs ?? [];
    if ((spec?.externalIPs ?? []).every((address) => before.includes(address))) return;
    throw createForbiddenError(request, "Use of external IPs is denied by admission control");
  },
});

const NOT_READY_TAINT = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

/** Adds the not-ready taint to new nodes; the node lifecycle controller removes it. */
export const taintNodesByCondition = createResourcePlugin<Node>("TaintNodesByCondition", {
  group: "",
  plural: "nodes",
  operations: ["CREATE"],
  mutate(draft) {
    draft.spec ??= {};
    const { taints } = draft.spec;
    if (!taints?.some(({ key, effect }) => key === NOT_READY_TAINT.key && effect === NOT_READY_TAINT.effect)) {
      draft.spec.taints = [...(taints ?? []), { ...NOT_READY_TAINT }];
    }
  },
});

const DEFAULT_TOLERATION_SECONDS = 300;

/** Adds tolerations of the not-ready and unreachable taints for 300 seconds, unless the pod has its own. */
export const defaultTolerationSeconds = createResourcePlugin<Pod>("DefaultTolerationSeconds", {
  group: "",
  plural: "pods",
  operations: ["CREATE", "UPDATE"],
  mutate({ spec }) {
    if (!spec) return;
    for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
      const tolerated = spec.tolerations?.some((each) => (!each.key || each.key === key) && (!each.effect || each.effect === "NoExecute"));
      if (tolerated) continue;
      const toleration = { key, operator: "Exists", effect: "NoExecute", tolerationSeconds: DEFAULT_TOLERATION_SECONDS };
      spec.tolerations = [...(spec.tolerations ?? []), toleration];
    }
  },
});

import type { Pod } from "pintle/kinds/core/v1";
import type { Store } from "../../store/index.ts";
import { type KindRules, rules } from "../rules.ts";
import { podTable } from "../table/pod.ts";
import { podNameWarnings, podWarnings } from "../validate/pod-warnings.ts";
import { evictionWith } from "./eviction.ts";
import { binding } from "./pod-actions.ts";
import { ephemeralContainers, podStatus, preparePodCreate, resize } from "./pod-strategy.ts";
import { validatePodCreate, validatePodStatus, validatePodUpdate } from "./pod-validation.ts";

const pod = rules<Pod>({
  prepareCreate: preparePodCreate,
  warnings: ({ metadata, spec }, live) => (live ? [] : [...podNameWarnings(metadata?.name ?? ""), ...podWarnings("", spec)]),
  validate: validatePodCreate,
  validateUpdate: validatePodUpdate,
  status: { ...podStatus, validate: validatePodStatus },
  parts: { ephemeralcontainers: ephemeralContainers, resize },
  connections: ["log", "exec", "attach", "portforward", "proxy"],
  deletion: {
    grace(object, requested) {
      const { spec, status } = object as unknown as Pod;
      const running = !!spec.nodeName && status.phase !== "Failed" && status.phase !== "Succeeded";
      const seconds = running ? (requested ?? spec.terminationGracePeriodSeconds ?? 0) : 0;
      return seconds < 0 ? 1 : seconds;
    },
  },
  selectableFields: {
    "spec.nodeName": ({ spec }) => spec?.nodeName ?? "",
    "spec.host": ({ spec }) => spec?.nodeName ?? "",
    "spec.restartPolicy": ({ spec }) => spec?.restartPolicy ?? "",
    "spec.schedulerName": ({ spec }) => spec?.schedulerName ?? "",
    "spec.serviceAccountName": ({ spec }) => spec?.serviceAccountName ?? "",
    "spec.hostNetwork": ({ spec }) => String(spec?.hostNetwork ?? false),
    "status.phase": ({ status }) => status?.phase ?? "",
    "status.podIP": ({ status }) => status?.podIPs?.[0]?.ip ?? "",
    "status.podIPs": ({ status }) => status?.podIPs?.[0]?.ip ?? "",
    "status.nominatedNodeName": ({ status }) => status?.nominatedNodeName ?? "",
  },
  table: podTable,
});

/** Pods; what an eviction has to respect is in the store. */
export function podRules(store: Store): KindRules<any> {
  return { ...pod, actions: { binding, eviction: evictionWith(store) } };
}

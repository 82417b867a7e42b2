import type { Pod } from "pintle/kinds/core/v1";
import type { ObjectStore } from "../../../store/index.ts";
import { podPrinter } from "../../printers/pod.ts";
import { getPodNameWarnings, getPodWarnings } from "../../validation/pod-warnings.ts";
import { defineStrategy, type KindStrategy } from "../kind-strategy.ts";
import { bindingAction } from "./binding.ts";
import { createEvictionAction } from "./eviction.ts";
import { ephemeralContainersStrategy, podStatusStrategy, preparePodForCreate, resizeStrategy } from "./pod-strategy.ts";
import { validatePodCreate, validatePodStatus, validatePodUpdate } from "./pod-validation.ts";

const podStrategy = defineStrategy<Pod>({
  prepareForCreate: preparePodForCreate,
  warnings: ({ metadata, spec }, live) => (live ? [] : [...getPodNameWarnings(metadata?.name ?? ""), ...getPodWarnings("", spec)]),
  validate: validatePodCreate,
  validateUpdate: validatePodUpdate,
  status: { ...podStatusStrategy, validate: validatePodStatus },
  subresources: { ephemeralcontainers: ephemeralContainersStrategy, resize: resizeStrategy },
  connectSubresources: ["log", "exec", "attach", "portforward", "proxy"],
  deletion: {
    getGracePeriodSeconds(object, requested) {
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
  tablePrinter: podPrinter,
});

/** Creates the strategy of pods. Evictions read disruption budgets from the store. */
export function createPodStrategy(store: ObjectStore): KindStrategy<any> {
  return {
    ...podStrategy,
    actions: { binding: bindingAction, eviction: createEvictionAction(store) },
    olderActionVersions: { eviction: ["policy/v1beta1"] },
  };
}

import type { Namespace, Pod, Toleration } from "pintle/kinds/core/v1";
import type { AdmissionPlugin } from "../../api/index.ts";
import { ApiError } from "../../status/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import type { Draft, Unvalidated } from "../draft.ts";
import { getQosClass } from "../qos-class.ts";
import { isExtendedResource } from "../validation/resources.ts";
import { createResourcePlugin, getStored } from "./resource-plugin.ts";

type Tolerations = readonly Draft<Toleration>[];

const DEFAULT_TOLERATIONS_ANNOTATION = "scheduler.alpha.kubernetes.io/defaultTolerations";
const ALLOWED_TOLERATIONS_ANNOTATION = "scheduler.alpha.kubernetes.io/tolerationsWhitelist";
const MEMORY_PRESSURE_TOLERATION = { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" };

/** Adds the default tolerations of the namespace annotations to pods, and rejects tolerations outside of the allowed list. */
export function createPodTolerationRestrictionPlugin(store: ObjectStore): AdmissionPlugin {
  return createResourcePlugin<Pod>("PodTolerationRestriction", {
    group: "",
    plural: "pods",
    operations: ["CREATE", "UPDATE"],
    async mutate(draft, request) {
      const namespace = await getStored<Namespace>(store, "", "namespaces", request.namespace);
      const readTolerations = (annotation: string) => parseTolerations(namespace?.metadata?.annotations?.[annotation] ?? "");
      draft.spec ??= {};
      const own = draft.spec.tolerations ?? [];
      const isNew = request.operation === "CREATE";
      const all = [
        ...own,
        ...(isNew ? readTolerations(DEFAULT_TOLERATIONS_ANNOTATION) : []),
        ...(getQosClass(draft as Unvalidated<Pod>) === "BestEffort" ? [] : [MEMORY_PRESSURE_TOLERATION]),
      ];
      if (all.length > own.length) draft.spec.tolerations = [...mergeTolerations(all)];
      const allowed = readTolerations(ALLOWED_TOLERATIONS_ANNOTATION);
      if (allowed.length > 0 && !draft.spec.tolerations?.every((each) => allowed.some((other) => coversToleration(other, each)))) {
        const why = "pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist";
        throw new ApiError(500, "", why);
      }
    },
  });
}

/** Adds tolerations for taints named after the extended resources a pod requests. */
export const extendedResourceToleration = createResourcePlugin<Pod>("ExtendedResourceToleration", {
  group: "",
  plural: "pods",
  operations: ["CREATE", "UPDATE"],
  mutate({ spec }) {
    const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
    const names = new Set(containers.flatMap(({ resources }) => Object.keys(resources?.requests ?? {})).filter(isExtendedResource));
    for (const key of [...names].sort()) {
      const there = spec!.tolerations?.some((each) => each.key === key && each.operator === "Exists" && each.effect === "NoSchedule");
      if (!there) spec!.tolerations = [...(spec!.tolerations ?? []), { key, operator: "Exists", effect: "NoSchedule" }];
    }
  },
});

function parseTolerations(text: string): Tolerations {
  if (text === "") return [];
  try {
    return JSON.parse(text) as Tolerations;
  } catch {
    throw new ApiError(500, "", "unexpected end of JSON input");
  }
}

/** Removes tolerations that others cover; of equal ones, the first stays. */
function mergeTolerations(all: Tolerations): Tolerations {
  return all.filter(
    (each, at) =>
      !all.some((other, index) => index !== at && coversToleration(other, each) && (!coversToleration(each, other) || index < at)),
  );
}

/** Returns whether `by` tolerates everything that `one` tolerates. */
function coversToleration(by: Draft<Toleration>, one: Draft<Toleration>): boolean {
  if (by.key !== one.key && (by.key || by.operator !== "Exists")) return false;
  if (by.effect && by.effect !== one.effect) return false;
  if (by.effect === "NoExecute" && by.tolerationSeconds != null && !(one.tolerationSeconds! <= by.tolerationSeconds)) return false;
  if (by.operator === "Exists") return true;
  return one.operator !== "Exists" && (one.value ?? "") === (by.value ?? "");
}

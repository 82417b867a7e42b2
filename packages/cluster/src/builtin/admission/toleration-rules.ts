import type { Namespace, Pod, Toleration } from "pintle/kinds/core/v1";
import type { AdmissionPlugin } from "../../api/index.ts";
import { ApiError } from "../../status/index.ts";
import type { Store } from "../../store/index.ts";
import { qosClass } from "../core/qos-class.ts";
import type { Draft, Loose } from "../draft.ts";
import { isExtended } from "../validate/resources.ts";
import { pluginFor, storedOne } from "./plugin.ts";

type Tolerations = readonly Draft<Toleration>[];

const DEFAULTS = "scheduler.alpha.kubernetes.io/defaultTolerations";
const ALLOWED = "scheduler.alpha.kubernetes.io/tolerationsWhitelist";
const MEMORY = { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" };

/** Pods tolerate what annotations of their namespace say, and nothing that those do not allow. */
export function podTolerationRestriction(store: Store): AdmissionPlugin {
  return pluginFor<Pod>("PodTolerationRestriction", {
    group: "",
    plural: "pods",
    on: ["CREATE", "UPDATE"],
    async change(draft, request) {
      const namespace = await storedOne<Namespace>(store, "", "namespaces", request.namespace);
      const said = (annotation: string) => parsed(namespace?.metadata?.annotations?.[annotation] ?? "");
      draft.spec ??= {};
      const own = draft.spec.tolerations ?? [];
      const isNew = request.operation === "CREATE";
      const all = [...own, ...(isNew ? said(DEFAULTS) : []), ...(qosClass(draft as Loose<Pod>) === "BestEffort" ? [] : [MEMORY])];
      if (all.length > own.length) draft.spec.tolerations = [...merged(all)];
      const allowed = said(ALLOWED);
      if (allowed.length > 0 && !draft.spec.tolerations?.every((each) => allowed.some((other) => covers(other, each)))) {
        const why = "pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist";
        throw new ApiError(500, "", why);
      }
    },
  });
}

/** Pods that ask for a special resource go to nodes that are tainted by its name. */
export const extendedResourceToleration = pluginFor<Pod>("ExtendedResourceToleration", {
  group: "",
  plural: "pods",
  on: ["CREATE", "UPDATE"],
  change({ spec }) {
    const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
    const names = new Set(containers.flatMap(({ resources }) => Object.keys(resources?.requests ?? {})).filter(isExtended));
    for (const key of [...names].sort()) {
      const there = spec!.tolerations?.some((each) => each.key === key && each.operator === "Exists" && each.effect === "NoSchedule");
      if (!there) spec!.tolerations = [...(spec!.tolerations ?? []), { key, operator: "Exists", effect: "NoSchedule" }];
    }
  },
});

function parsed(text: string): Tolerations {
  if (text === "") return [];
  try {
    return JSON.parse(text) as Tolerations;
  } catch {
    throw new ApiError(500, "", "unexpected end of JSON input");
  }
}

/** Without those that others cover; of equal ones the first stays. */
function merged(all: Tolerations): Tolerations {
  return all.filter((each, at) => !all.some((other, index) => index !== at && covers(other, each) && (!covers(each, other) || index < at)));
}

/** Whether all that `one` tolerates `by` tolerates as well. */
function covers(by: Draft<Toleration>, one: Draft<Toleration>): boolean {
  if (by.key !== one.key && (by.key || by.operator !== "Exists")) return false;
  if (by.effect && by.effect !== one.effect) return false;
  if (by.effect === "NoExecute" && by.tolerationSeconds != null && !(one.tolerationSeconds! <= by.tolerationSeconds)) return false;
  if (by.operator === "Exists") return true;
  return one.operator !== "Exists" && (one.value ?? "") === (by.value ?? "");
}

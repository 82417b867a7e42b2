import type { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { fieldError } from "../../status/index.ts";
import { rules } from "../rules.ts";
import { podDisruptionBudgetTable } from "../table/workloads.ts";
import { labelSelector } from "../validate/labels.ts";
import { inner, maybeOneOf } from "../validate/problems.ts";
import { atMostWhole, positiveOrPercent, statusCounts } from "../validate/workload.ts";

export const podDisruptionBudget = rules<PodDisruptionBudget>({
  validate: function* ({ spec }) {
    if (spec?.minAvailable != null && spec.maxUnavailable != null) {
      const shown = {
        MinAvailable: spec.minAvailable,
        Selector: spec.selector ?? null,
        MaxUnavailable: spec.maxUnavailable,
        UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
      };
      yield fieldError.invalid("spec", inner(shown), "minAvailable and maxUnavailable cannot be both set");
    }
    for (const name of ["minAvailable", "maxUnavailable"] as const) {
      yield* positiveOrPercent(`spec.${name}`, spec?.[name]);
      yield* atMostWhole(`spec.${name}`, spec?.[name]);
    }
    yield* labelSelector("spec.selector", spec?.selector);
    yield* maybeOneOf("spec.unhealthyPodEvictionPolicy", spec?.unhealthyPodEvictionPolicy, ["AlwaysAllow", "IfHealthyBudget"]);
  },
  status: {
    validate: ({ status }) => statusCounts(status, ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"], []),
  },
  table: podDisruptionBudgetTable,
});

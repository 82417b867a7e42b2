import type { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import { fieldError } from "../../../status/index.ts";
import { podDisruptionBudgetPrinter } from "../../printers/workloads.ts";
import { validateLabelSelector } from "../../validation/labels.ts";
import { printInternal, validateEnum } from "../../validation/validators.ts";
import { validateAtMostHundredPercent, validatePositiveOrPercent, validateStatusCounts } from "../../validation/workload.ts";
import { defineStrategy } from "../kind-strategy.ts";

export const podDisruptionBudgetStrategy = defineStrategy<PodDisruptionBudget>({
  validate: function* ({ spec }) {
    if (spec?.minAvailable != null && spec.maxUnavailable != null) {
      const internal = {
        MinAvailable: spec.minAvailable,
        Selector: spec.selector ?? null,
        MaxUnavailable: spec.maxUnavailable,
        UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
      };
      yield fieldError.invalid("spec", printInternal(internal), "minAvailable and maxUnavailable cannot be both set");
    }
    for (const name of ["minAvailable", "maxUnavailable"] as const) {
      yield* validatePositiveOrPercent(`spec.${name}`, spec?.[name]);
      yield* validateAtMostHundredPercent(`spec.${name}`, spec?.[name]);
    }
    yield* validateLabelSelector("spec.selector", spec?.selector);
    yield* validateEnum("spec.unhealthyPodEvictionPolicy", spec?.unhealthyPodEvictionPolicy, ["AlwaysAllow", "IfHealthyBudget"]);
  },
  status: {
    validate: ({ status }) => validateStatusCounts(status, ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"], []),
  },
  tablePrinter: podDisruptionBudgetPrinter,
});

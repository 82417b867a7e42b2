import type { PodTemplate, ReplicationController } from "pintle/kinds/core/v1";
import { fieldError } from "../../../status/index.ts";
import { podTemplatePrinter, replicationControllerPrinter } from "../../printers/core.ts";
import { validatePodTemplate as template } from "../../validation/pod-spec.ts";
import { getTemplateWarnings } from "../../validation/pod-warnings.ts";
import { isSemanticallyEqual, validateNonnegative } from "../../validation/validators.ts";
import { validateAlwaysRestartingTemplate, validateStatusCounts } from "../../validation/workload.ts";
import { defineStrategy } from "../kind-strategy.ts";

export const podTemplateStrategy = defineStrategy<PodTemplate>({
  validate: (object) => template("template", object.template),
  warnings: (object, live) =>
    isSemanticallyEqual(object.template, live?.template) ? [] : getTemplateWarnings("template", object.template),
  tablePrinter: podTemplatePrinter,
});

export const replicationControllerStrategy = defineStrategy<ReplicationController>({
  validate: function* ({ spec }) {
    yield* validateNonnegative("spec.minReadySeconds", spec?.minReadySeconds);
    if (Object.keys(spec?.selector ?? {}).length === 0) yield fieldError.required("spec.selector");
    yield* validateNonnegative("spec.replicas", spec?.replicas);
    if (!spec?.template) return yield fieldError.required("spec.template");
    const labels = spec.template.metadata?.labels;
    if (Object.entries(spec.selector ?? {}).some(([key, value]) => labels?.[key] !== value)) {
      yield fieldError.invalid("spec.template.metadata.labels", labels ?? null, "`selector` does not match template `labels`");
    }
    yield* validateAlwaysRestartingTemplate("spec.template", spec.template, "ReplicationController");
  },
  status: {
    validate: ({ status }) => {
      const counted = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
      return validateStatusCounts(status, ["replicas", ...counted, "observedGeneration"], counted);
    },
  },
  deletion: { defaultPropagation: "Orphan" },
  selectableFields: { "status.replicas": ({ status }) => String(status?.replicas ?? 0) },
  warnings: (object, live) => (live ? [] : getTemplateWarnings("spec.template", object.spec?.template)),
  tablePrinter: replicationControllerPrinter,
});

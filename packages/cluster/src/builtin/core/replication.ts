import type { PodTemplate, ReplicationController } from "pintle/kinds/core/v1";
import { fieldError } from "../../status/index.ts";
import { rules } from "../rules.ts";
import { podTemplateTable, replicationControllerTable } from "../table/core.ts";
import { podTemplate as template } from "../validate/pod-spec.ts";
import { templateWarnings } from "../validate/pod-warnings.ts";
import { nonnegative, same } from "../validate/problems.ts";
import { lastingTemplate, statusCounts } from "../validate/workload.ts";

export const podTemplate = rules<PodTemplate>({
  validate: (object) => template("template", object.template),
  warnings: (object, live) => (same(object.template, live?.template) ? [] : templateWarnings("template", object.template)),
  table: podTemplateTable,
});

export const replicationController = rules<ReplicationController>({
  validate: function* ({ spec }) {
    yield* nonnegative("spec.minReadySeconds", spec?.minReadySeconds);
    if (Object.keys(spec?.selector ?? {}).length === 0) yield fieldError.required("spec.selector");
    yield* nonnegative("spec.replicas", spec?.replicas);
    if (!spec?.template) return yield fieldError.required("spec.template");
    const labels = spec.template.metadata?.labels;
    if (Object.entries(spec.selector ?? {}).some(([key, value]) => labels?.[key] !== value)) {
      yield fieldError.invalid("spec.template.metadata.labels", labels ?? null, "`selector` does not match template `labels`");
    }
    yield* lastingTemplate("spec.template", spec.template, "ReplicationController");
  },
  status: {
    validate: ({ status }) => {
      const counted = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
      return statusCounts(status, ["replicas", ...counted, "observedGeneration"], counted);
    },
  },
  deletion: { propagation: "Orphan" },
  selectableFields: { "status.replicas": ({ status }) => String(status?.replicas ?? 0) },
  warnings: (object, live) => (live ? [] : templateWarnings("spec.template", object.spec?.template)),
  table: replicationControllerTable,
});

import type { StatefulSet, StatefulSetSpec } from "pintle/kinds/apps/v1";
import { validateLabelName } from "../../../api/index.ts";
import { fieldError } from "../../../status/index.ts";
import type { Draft, Unvalidated } from "../../draft.ts";
import { statefulSetPrinter } from "../../printers/workloads.ts";
import { validateAnnotations, validateLabels } from "../../validation/labels.ts";
import { validateClaimSpec } from "../../validation/persistent-volume-claim.ts";
import { getTemplateWarnings } from "../../validation/pod-warnings.ts";
import {
  type FieldErrors,
  isSemanticallyEqual,
  printInternal,
  validateDnsLabelField,
  validateEnum,
  validateNonnegative,
} from "../../validation/validators.ts";
import { validateSelectorAndTemplate, validateStatusCounts } from "../../validation/workload.ts";
import { defineStrategy } from "../kind-strategy.ts";

export const statefulSetStrategy = defineStrategy<StatefulSet>({
  validateName: validateLabelName,
  prepareForCreate: completeSpec,
  prepareForUpdate: completeSpec,
  validate: ({ spec }) => validateSpec(spec ?? {}, true),
  validateUpdate: function* ({ spec }, live) {
    yield* validateSpec(spec ?? {}, false);
    const names = new Set([...Object.keys(spec ?? {}), ...Object.keys(live.spec ?? {})]) as Set<keyof Unvalidated<StatefulSetSpec>>;
    if ([...names].every((name) => MUTABLE_FIELDS.has(name) || isSemanticallyEqual(spec?.[name], live.spec?.[name]))) return;
    yield fieldError.forbidden("spec", IMMUTABLE_MESSAGE);
  },
  status: {
    validate: function* ({ status }) {
      const counted = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
      yield* validateStatusCounts(status, ["replicas", ...counted, "observedGeneration", "collisionCount"], counted);
      if ((status?.availableReplicas ?? 0) > (status?.readyReplicas ?? 0)) {
        yield fieldError.invalid("status.availableReplicas", status?.availableReplicas, "cannot be greater than status.readyReplicas");
      }
    },
  },
  warnings: (object, live) => [
    ...(isSemanticallyEqual(object.spec?.template, live?.spec?.template)
      ? []
      : getTemplateWarnings("spec.template", object.spec?.template)),
    ...((object.spec?.revisionHistoryLimit ?? 0) < 0
      ? ["spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"]
      : []),
  ],
  tablePrinter: statefulSetPrinter,
});

const MUTABLE_FIELDS = new Set(
  "replicas ordinals template updateStrategy revisionHistoryLimit persistentVolumeClaimRetentionPolicy minReadySeconds".split(" "),
);
const IMMUTABLE_MESSAGE =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

/** Sets apiVersion and kind of claim templates, and drops maxUnavailable, whose feature gate is disabled. */
function completeSpec({ spec }: Draft<StatefulSet>): void {
  delete spec?.updateStrategy?.rollingUpdate?.maxUnavailable;
  for (const template of spec?.volumeClaimTemplates ?? []) {
    template.apiVersion = "v1";
    template.kind = "PersistentVolumeClaim";
  }
}

function* validateSpec(spec: Unvalidated<StatefulSetSpec>, isNew: boolean): FieldErrors {
  if (!spec.podManagementPolicy) yield fieldError.required("spec.podManagementPolicy");
  else if (spec.podManagementPolicy !== "OrderedReady" && spec.podManagementPolicy !== "Parallel") {
    yield fieldError.invalid("spec.podManagementPolicy", spec.podManagementPolicy, "must be 'OrderedReady' or 'Parallel'");
  }
  yield* validateUpdateStrategy("spec.updateStrategy", spec);
  for (const when of ["whenDeleted", "whenScaled"] as const) {
    const policy = spec.persistentVolumeClaimRetentionPolicy?.[when];
    yield* validateEnum(`spec.persistentVolumeClaimRetentionPolicy.${when}`, policy, ["Retain", "Delete"]);
  }
  if (isNew) {
    for (const [i, template] of (spec.volumeClaimTemplates ?? []).entries()) {
      yield* validateClaimSpec(`spec.volumeClaimTemplates[${i}].spec`, template.spec);
    }
  }
  yield* validateNonnegative("spec.replicas", spec.replicas);
  yield* validateNonnegative("spec.minReadySeconds", spec.minReadySeconds);
  yield* validateNonnegative("spec.ordinals.start", spec.ordinals?.start);
  if (isNew && spec.serviceName) yield* validateDnsLabelField("spec.serviceName", spec.serviceName);
  yield* validateSelectorAndTemplate({ ...spec, template: addClaimVolumes(spec) }, "statefulset", "StatefulSet", "");
  yield* validateLabels("spec.template.labels", spec.template?.metadata?.labels);
  yield* validateAnnotations("spec.template.annotations", spec.template?.metadata?.annotations);
}

/**
 * Returns the template with a volume for every claim template and without hostname and subdomain, as the controller
 * creates pods.
 */
function addClaimVolumes({ template, volumeClaimTemplates }: Unvalidated<StatefulSetSpec>): Unvalidated<StatefulSetSpec>["template"] {
  const claims = new Map((volumeClaimTemplates ?? []).map(({ metadata }) => [metadata?.name ?? "", metadata?.name ?? ""]));
  const { subdomain: _, hostname: __, volumes, ...spec } = template?.spec ?? {};
  const added = [...claims.keys()].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const own = (volumes ?? []).filter(({ name }) => !claims.has(name ?? ""));
  return { ...template, spec: { ...spec, volumes: [...added, ...own] } };
}

function* validateUpdateStrategy(field: string, { updateStrategy: of }: Unvalidated<StatefulSetSpec>): FieldErrors {
  const rolling = of?.rollingUpdate;
  if (!of?.type) return yield fieldError.required(field);
  if (of.type === "OnDelete") {
    if (rolling) yield fieldError.invalid(`${field}.rollingUpdate`, rolling, "only allowed for updateStrategy 'RollingUpdate'");
    return;
  }
  if (of.type !== "RollingUpdate") {
    const internal = { Type: of.type, RollingUpdate: rolling ? { Partition: rolling.partition ?? 0, MaxUnavailable: null } : null };
    return yield fieldError.invalid(field, printInternal(internal), "must be 'RollingUpdate' or 'OnDelete'");
  }
  if (!rolling) return;
  yield* validateNonnegative(`${field}.rollingUpdate.partition`, rolling.partition);
}

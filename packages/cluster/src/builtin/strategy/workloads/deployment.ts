import { isJsonEqual } from "pintle/internal/merge";
import type { Deployment, DeploymentSpec, ReplicaSet } from "pintle/kinds/apps/v1";
import { fieldError } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { deploymentPrinter, replicaSetPrinter } from "../../printers/workloads.ts";
import { getTemplateWarnings } from "../../validation/pod-warnings.ts";
import {
  type FieldErrors,
  isSemanticallyEqual,
  printInternal,
  validateImmutableField,
  validateNonnegative,
} from "../../validation/validators.ts";
import {
  parseIntOrPercent,
  toInternalRollingUpdate,
  validateAtMostHundredPercent,
  validatePositiveOrPercent,
  validateSelectorAndTemplate,
  validateStatusCounts,
} from "../../validation/workload.ts";
import { defineStrategy } from "../kind-strategy.ts";

export const deploymentStrategy = defineStrategy<Deployment>({
  // Annotations are copied to replica sets, so a change of them increments the generation.
  generation: (next, live) =>
    !isJsonEqual(next["spec"] ?? null, live["spec"] ?? null) || !isJsonEqual(getAnnotations(next), getAnnotations(live)),
  validate: ({ spec }) => validateSpec(spec ?? {}),
  validateUpdate: function* ({ spec }, live) {
    yield* validateSpec(spec ?? {});
    yield* validateImmutableField("spec.selector", spec?.selector, live.spec?.selector);
  },
  status: {
    prepareForUpdate(draft, live) {
      draft.spec = live.spec as never;
      if (draft.metadata) draft.metadata.labels = (live.metadata?.labels ?? undefined) as never;
    },
    validate: function* ({ status }) {
      const replicas = ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"];
      yield* validateStatusCounts(status, ["observedGeneration", ...replicas], ["updatedReplicas", "readyReplicas", "availableReplicas"]);
      yield* validateAvailableReplicas(status);
    },
    resetFields: [["spec"], ["metadata", "labels"]],
  },
  warnings: (object, live) =>
    isSemanticallyEqual(object.spec?.template, live?.spec?.template) ? [] : getTemplateWarnings("spec.template", object.spec?.template),
  tablePrinter: deploymentPrinter,
});

export const replicaSetStrategy = defineStrategy<ReplicaSet>({
  validate: ({ spec }) => validateReplicaSet(spec ?? {}),
  validateUpdate: function* ({ spec }, live) {
    yield* validateReplicaSet(spec ?? {});
    yield* validateImmutableField("spec.selector", spec?.selector, live.spec?.selector);
  },
  status: {
    validate: function* ({ status }) {
      const counted = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
      yield* validateStatusCounts(status, ["replicas", ...counted, "observedGeneration"], counted);
      yield* validateAvailableReplicas(status);
    },
  },
  warnings: (object, live) =>
    isSemanticallyEqual(object.spec?.template, live?.spec?.template) ? [] : getTemplateWarnings("spec.template", object.spec?.template),
  tablePrinter: replicaSetPrinter,
});

function getAnnotations(object: object): never {
  return ((object as { readonly metadata?: { readonly annotations?: object } }).metadata?.annotations ?? {}) as never;
}

function* validateAvailableReplicas(
  status: Unvalidated<{ readonly availableReplicas: number; readonly readyReplicas: number }> | null | undefined,
): FieldErrors {
  const { availableReplicas, readyReplicas } = status ?? {};
  if ((availableReplicas ?? 0) <= (readyReplicas ?? 0)) return;
  yield fieldError.invalid("status.availableReplicas", availableReplicas, "cannot be greater than readyReplicas");
}

function* validateSpec(spec: Unvalidated<DeploymentSpec>): FieldErrors {
  yield* validateNonnegative("spec.replicas", spec.replicas);
  yield* validateSelectorAndTemplate(spec, "deployment", "ReplicaSet", "invalid label selector");
  yield* validateDeploymentStrategy("spec.strategy", spec.strategy);
  yield* validateNonnegative("spec.minReadySeconds", spec.minReadySeconds);
  yield* validateNonnegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit);
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  if (deadline == null) return;
  yield* validateNonnegative("spec.progressDeadlineSeconds", deadline);
  if (deadline <= (minReadySeconds ?? 0)) {
    yield fieldError.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds");
  }
}

function* validateDeploymentStrategy(field: string, of: Unvalidated<DeploymentSpec>["strategy"]): FieldErrors {
  const rolling = of?.rollingUpdate;
  if (of?.type === "Recreate") {
    if (rolling) yield fieldError.forbidden(`${field}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'");
    return;
  }
  if (of?.type !== "RollingUpdate")
    return yield fieldError.notSupported(field, printInternal(toInternalStrategy(of)), ["Recreate", "RollingUpdate"]);
  const at = `${field}.rollingUpdate`;
  yield* validatePositiveOrPercent(`${at}.maxUnavailable`, rolling?.maxUnavailable);
  yield* validatePositiveOrPercent(`${at}.maxSurge`, rolling?.maxSurge);
  if (parseIntOrPercent(rolling?.maxUnavailable) === 0 && parseIntOrPercent(rolling?.maxSurge) === 0) {
    yield fieldError.invalid(`${at}.maxUnavailable`, rolling?.maxUnavailable, "may not be 0 when `maxSurge` is 0");
  }
  yield* validateAtMostHundredPercent(`${at}.maxUnavailable`, rolling?.maxUnavailable);
}

/** Returns the value in the internal version, whose Go field names kube-apiserver prints in errors. */
function toInternalStrategy(of: Unvalidated<DeploymentSpec>["strategy"]): object {
  return { Type: of?.type ?? "", RollingUpdate: of?.rollingUpdate ? toInternalRollingUpdate(of.rollingUpdate) : null };
}

function* validateReplicaSet(spec: NonNullable<Unvalidated<ReplicaSet>["spec"]>): FieldErrors {
  yield* validateNonnegative("spec.replicas", spec.replicas);
  yield* validateNonnegative("spec.minReadySeconds", spec.minReadySeconds);
  yield* validateSelectorAndTemplate(spec, "deployment", "ReplicaSet", "invalid label selector");
}

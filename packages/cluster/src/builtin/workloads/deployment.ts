import type { Deployment, DeploymentSpec, ReplicaSet } from "pintle/kinds/apps/v1";
import { equal } from "pintle/merge";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { deploymentTable, replicaSetTable } from "../table/workloads.ts";
import { templateWarnings } from "../validate/pod-warnings.ts";
import { immutable, inner, nonnegative, type Problems, same } from "../validate/problems.ts";
import { amount, atMostWhole, positiveOrPercent, rollingText, selectedTemplate, statusCounts } from "../validate/workload.ts";

export const deployment = rules<Deployment>({
  // Annotations are handed on to replica sets, so a change of them is work to do.
  generation: (next, live) => !equal(next["spec"] ?? null, live["spec"] ?? null) || !equal(annotations(next), annotations(live)),
  validate: ({ spec }) => validateSpec(spec ?? {}),
  validateUpdate: function* ({ spec }, live) {
    yield* validateSpec(spec ?? {});
    yield* immutable("spec.selector", spec?.selector, live.spec?.selector);
  },
  status: {
    prepare(draft, live) {
      draft.spec = live.spec as never;
      if (draft.metadata) draft.metadata.labels = (live.metadata?.labels ?? undefined) as never;
    },
    validate: function* ({ status }) {
      const replicas = ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"];
      yield* statusCounts(status, ["observedGeneration", ...replicas], ["updatedReplicas", "readyReplicas", "availableReplicas"]);
      yield* availableAreReady(status);
    },
    resetFields: [["spec"], ["metadata", "labels"]],
  },
  warnings: (object, live) =>
    same(object.spec?.template, live?.spec?.template) ? [] : templateWarnings("spec.template", object.spec?.template),
  table: deploymentTable,
});

export const replicaSet = rules<ReplicaSet>({
  validate: ({ spec }) => validateReplicaSet(spec ?? {}),
  validateUpdate: function* ({ spec }, live) {
    yield* validateReplicaSet(spec ?? {});
    yield* immutable("spec.selector", spec?.selector, live.spec?.selector);
  },
  status: {
    validate: function* ({ status }) {
      const counted = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
      yield* statusCounts(status, ["replicas", ...counted, "observedGeneration"], counted);
      yield* availableAreReady(status);
    },
  },
  warnings: (object, live) =>
    same(object.spec?.template, live?.spec?.template) ? [] : templateWarnings("spec.template", object.spec?.template),
  table: replicaSetTable,
});

function annotations(object: object): never {
  return ((object as { readonly metadata?: { readonly annotations?: object } }).metadata?.annotations ?? {}) as never;
}

function* availableAreReady(
  status: Loose<{ readonly availableReplicas: number; readonly readyReplicas: number }> | null | undefined,
): Problems {
  const { availableReplicas, readyReplicas } = status ?? {};
  if ((availableReplicas ?? 0) <= (readyReplicas ?? 0)) return;
  yield fieldError.invalid("status.availableReplicas", availableReplicas, "cannot be greater than readyReplicas");
}

function* validateSpec(spec: Loose<DeploymentSpec>): Problems {
  yield* nonnegative("spec.replicas", spec.replicas);
  yield* selectedTemplate(spec, "deployment", "ReplicaSet", "invalid label selector");
  yield* strategy("spec.strategy", spec.strategy);
  yield* nonnegative("spec.minReadySeconds", spec.minReadySeconds);
  yield* nonnegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit);
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  if (deadline == null) return;
  yield* nonnegative("spec.progressDeadlineSeconds", deadline);
  if (deadline <= (minReadySeconds ?? 0)) {
    yield fieldError.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds");
  }
}

function* strategy(field: string, of: Loose<DeploymentSpec>["strategy"]): Problems {
  const rolling = of?.rollingUpdate;
  if (of?.type === "Recreate") {
    if (rolling) yield fieldError.forbidden(`${field}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'");
    return;
  }
  if (of?.type !== "RollingUpdate") return yield fieldError.notSupported(field, inner(strategyText(of)), ["Recreate", "RollingUpdate"]);
  const at = `${field}.rollingUpdate`;
  yield* positiveOrPercent(`${at}.maxUnavailable`, rolling?.maxUnavailable);
  yield* positiveOrPercent(`${at}.maxSurge`, rolling?.maxSurge);
  if (amount(rolling?.maxUnavailable) === 0 && amount(rolling?.maxSurge) === 0) {
    yield fieldError.invalid(`${at}.maxUnavailable`, rolling?.maxUnavailable, "may not be 0 when `maxSurge` is 0");
  }
  yield* atMostWhole(`${at}.maxUnavailable`, rolling?.maxUnavailable);
}

/** As the server's own type is written, which is not the one it publishes. */
function strategyText(of: Loose<DeploymentSpec>["strategy"]): object {
  return { Type: of?.type ?? "", RollingUpdate: of?.rollingUpdate ? rollingText(of.rollingUpdate) : null };
}

function* validateReplicaSet(spec: NonNullable<Loose<ReplicaSet>["spec"]>): Problems {
  yield* nonnegative("spec.replicas", spec.replicas);
  yield* nonnegative("spec.minReadySeconds", spec.minReadySeconds);
  yield* selectedTemplate(spec, "deployment", "ReplicaSet", "invalid label selector");
}

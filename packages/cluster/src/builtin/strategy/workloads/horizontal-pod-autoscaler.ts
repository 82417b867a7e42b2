import type { HorizontalPodAutoscaler as V1 } from "pintle/kinds/autoscaling/v1";
import type { HorizontalPodAutoscaler, HPAScalingRules } from "pintle/kinds/autoscaling/v2";
import { fieldError } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { horizontalPodAutoscalerPrinter, horizontalPodAutoscalerV1Printer } from "../../printers/workloads.ts";
import { nanos } from "../../quantities.ts";
import { type FieldErrors, validateEnum, validateRequired } from "../../validation/validators.ts";
import { validateStatusCounts } from "../../validation/workload.ts";
import { defineStrategy } from "../kind-strategy.ts";
import { autoscalerConversion, convertAutoscaler } from "./autoscaler-conversion.ts";
import { validateMetric, validateMetricTarget } from "./autoscaler-metric.ts";
import { findApiVersionProblem, type ObjectReference, type ReferenceRule, validateObjectReference } from "./object-reference.ts";

const NO_EXTERNAL_METRIC = "must specify at least one Object or External metric to support scaling to zero replicas";

export const horizontalPodAutoscalerStrategy = defineStrategy<HorizontalPodAutoscaler>({
  validate: (autoscaler) => validateAutoscaler(autoscaler),
  validateUpdate: validateAutoscaler,
  status: { validate: ({ status }) => validateStatusCounts(status, ["currentReplicas", "desiredReplicas"], []) },
  tablePrinter: horizontalPodAutoscalerPrinter,
  convertToVersion: convertAutoscaler,
});

export const horizontalPodAutoscalerV1Strategy = defineStrategy<V1>({
  validate: (autoscaler) => validateAutoscalerV1(autoscaler),
  validateUpdate: validateAutoscalerV1,
  status: { validate: ({ status }) => validateStatusCounts(status, ["currentReplicas", "desiredReplicas"], []) },
  tablePrinter: horizontalPodAutoscalerV1Printer,
  conversion: autoscalerConversion,
  convertToVersion: convertAutoscaler,
});

function* validateAutoscaler({ spec }: Unvalidated<HorizontalPodAutoscaler>, live?: Unvalidated<HorizontalPodAutoscaler>): FieldErrors {
  yield* validateTargetAndReplicas(spec ?? {}, live?.spec);
  const wasInvalid = live?.spec?.metrics?.some(
    ({ object }) => findApiVersionProblem(object?.describedObject?.apiVersion ?? "", "any group") !== undefined,
  );
  for (const [i, metric] of (spec?.metrics ?? []).entries()) {
    yield* validateMetric(`spec.metrics[${i}]`, metric, wasInvalid === true ? "unchecked" : "any group");
  }
  const countsOutside = spec?.metrics?.some(({ type }) => type === "Object" || type === "External");
  if (spec?.minReplicas === 0 && !countsOutside) yield fieldError.forbidden("spec.metrics", NO_EXTERNAL_METRIC);
  yield* validateScalingRules("spec.behavior.scaleUp", spec?.behavior?.scaleUp);
  yield* validateScalingRules("spec.behavior.scaleDown", spec?.behavior?.scaleDown);
}

function* validateAutoscalerV1({ spec }: Unvalidated<V1>, live?: Unvalidated<V1>): FieldErrors {
  yield* validateTargetAndReplicas(spec ?? {}, live?.spec);
  // Reported for the storage version.
  if (spec?.minReplicas === 0) yield fieldError.forbidden("spec.metrics", NO_EXTERNAL_METRIC);
  const averageUtilization = spec?.targetCPUUtilizationPercentage;
  if (averageUtilization != null)
    yield* validateMetricTarget("spec.metrics[0].resource.target", { type: "Utilization", averageUtilization });
}

type TargetAndReplicas = Pick<NonNullable<Unvalidated<V1>["spec"]>, "minReplicas" | "maxReplicas" | "scaleTargetRef">;

function* validateTargetAndReplicas(spec: TargetAndReplicas, live: TargetAndReplicas | null | undefined): FieldErrors {
  const { minReplicas, maxReplicas = 0, scaleTargetRef } = spec;
  const max = maxReplicas ?? 0;
  const lowest = live?.minReplicas === 0 ? 0 : 1;
  if (minReplicas != null && minReplicas < lowest)
    yield fieldError.invalid("spec.minReplicas", minReplicas, `must be greater than or equal to ${lowest}`);
  if (max === 0) yield fieldError.required("spec.maxReplicas", "must be set and greater than 0");
  else if (max < 0) yield fieldError.invalid("spec.maxReplicas", max, "must be greater than or equal to 1");
  if (minReplicas != null && max < minReplicas) {
    yield fieldError.invalid("spec.maxReplicas", max, "must be greater than or equal to `minReplicas`");
  }
  yield* validateObjectReference("spec.scaleTargetRef", scaleTargetRef, getTargetRule(scaleTargetRef, live?.scaleTargetRef));
}

/** ReplicationControllers are the only kind of the core group that can be scaled. */
function getTargetRule(target: ObjectReference, live: ObjectReference): ReferenceRule {
  const isUnchanged = live != null && (live.apiVersion ?? "") === (target?.apiVersion ?? "") && live.kind === target?.kind;
  if (isUnchanged) return "unchecked";
  return target?.kind === "ReplicationController" ? "any group" : "group";
}

function* validateScalingRules(field: string, rule: Unvalidated<HPAScalingRules> | null | undefined): FieldErrors {
  if (!rule) return;
  const { stabilizationWindowSeconds: window, selectPolicy, policies, tolerance } = rule;
  const at = `${field}.stabilizationWindowSeconds`;
  if (window != null && window < 0) yield fieldError.invalid(at, window, "must be greater than or equal to zero");
  if (window != null && window > 3600) yield fieldError.invalid(at, window, "must be less than or equal to 3600");
  yield* validateEnum(`${field}.selectPolicy`, selectPolicy, ["Disabled", "Max", "Min"]);
  yield* validateRequired(`${field}.policies`, policies, "must specify at least one Policy");
  for (const [i, policy] of (policies ?? []).entries()) {
    const one = `${field}.policies[${i}]`;
    if (policy.type !== "Pods" && policy.type !== "Percent")
      yield fieldError.notSupported(`${one}.type`, policy.type ?? "", ["Percent", "Pods"]);
    if ((policy.value ?? 0) <= 0) yield fieldError.invalid(`${one}.value`, policy.value ?? 0, "must be greater than zero");
    if ((policy.periodSeconds ?? 0) <= 0)
      yield fieldError.invalid(`${one}.periodSeconds`, policy.periodSeconds ?? 0, "must be greater than zero");
    if ((policy.periodSeconds ?? 0) > 1800)
      yield fieldError.invalid(`${one}.periodSeconds`, policy.periodSeconds, "must be less than or equal to 1800");
  }
  if (tolerance != null && nanos(tolerance) < 0n) {
    yield fieldError.invalid(`${field}.tolerance`, tolerance, "must be greater than or equal to 0");
  }
}

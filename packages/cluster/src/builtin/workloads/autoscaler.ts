import type { HorizontalPodAutoscaler as V1 } from "pintle/kinds/autoscaling/v1";
import type { HorizontalPodAutoscaler, HPAScalingRules } from "pintle/kinds/autoscaling/v2";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { horizontalPodAutoscalerTable, horizontalPodAutoscalerV1Table } from "../table/workloads.ts";
import { maybeOneOf, type Problems, required } from "../validate/problems.ts";
import { statusCounts } from "../validate/workload.ts";
import { autoscalerConversion, autoscalerIn } from "./autoscaler-conversion.ts";
import { metricProblems, targetProblems } from "./autoscaler-metric.ts";

const NOTHING_OUTSIDE = "must specify at least one Object or External metric to support scaling to zero replicas";

export const horizontalPodAutoscaler = rules<HorizontalPodAutoscaler>({
  validate: function* ({ spec }) {
    yield* replicas(spec ?? {});
    for (const [i, metric] of (spec?.metrics ?? []).entries()) yield* metricProblems(`spec.metrics[${i}]`, metric);
    const countsOutside = spec?.metrics?.some(({ type }) => type === "Object" || type === "External");
    if (spec?.minReplicas === 0 && !countsOutside) {
      yield fieldError.forbidden("spec.metrics", NOTHING_OUTSIDE);
    }
    yield* scaling("spec.behavior.scaleUp", spec?.behavior?.scaleUp);
    yield* scaling("spec.behavior.scaleDown", spec?.behavior?.scaleDown);
  },
  status: { validate: ({ status }) => statusCounts(status, ["currentReplicas", "desiredReplicas"], []) },
  table: horizontalPodAutoscalerTable,
  inVersion: autoscalerIn,
});

export const horizontalPodAutoscalerV1 = rules<V1>({
  validate: function* ({ spec }) {
    yield* replicas(spec ?? {});
    // Said in the words of the version it is stored in.
    if (spec?.minReplicas === 0) yield fieldError.forbidden("spec.metrics", NOTHING_OUTSIDE);
    const averageUtilization = spec?.targetCPUUtilizationPercentage;
    if (averageUtilization != null) yield* targetProblems("spec.metrics[0].resource.target", { type: "Utilization", averageUtilization });
  },
  status: { validate: ({ status }) => statusCounts(status, ["currentReplicas", "desiredReplicas"], []) },
  table: horizontalPodAutoscalerV1Table,
  conversion: autoscalerConversion,
  inVersion: autoscalerIn,
});

function* replicas(spec: Pick<NonNullable<Loose<V1>["spec"]>, "minReplicas" | "maxReplicas" | "scaleTargetRef">): Problems {
  const { minReplicas, maxReplicas = 0, scaleTargetRef } = spec;
  const max = maxReplicas ?? 0;
  if (minReplicas != null && minReplicas < 1)
    yield fieldError.invalid("spec.minReplicas", minReplicas, "must be greater than or equal to 1");
  if (max === 0) yield fieldError.required("spec.maxReplicas", "must be set and greater than 0");
  else if (max < 0) yield fieldError.invalid("spec.maxReplicas", max, "must be greater than or equal to 1");
  if (minReplicas != null && max < minReplicas) {
    yield fieldError.invalid("spec.maxReplicas", max, "must be greater than or equal to `minReplicas`");
  }
  yield* required("spec.scaleTargetRef.kind", scaleTargetRef?.kind);
  yield* required("spec.scaleTargetRef.name", scaleTargetRef?.name);
  const { apiVersion = "" } = scaleTargetRef ?? {};
  if (!apiVersion?.includes("/"))
    yield fieldError.invalid("spec.scaleTargetRef.apiVersion", apiVersion, "apiVersion must specify API group");
}

function* scaling(field: string, rule: Loose<HPAScalingRules> | null | undefined): Problems {
  if (!rule) return;
  const { stabilizationWindowSeconds: window, selectPolicy, policies } = rule;
  const at = `${field}.stabilizationWindowSeconds`;
  if (window != null && window < 0) yield fieldError.invalid(at, window, "must be greater than or equal to zero");
  if (window != null && window > 3600) yield fieldError.invalid(at, window, "must be less than or equal to 3600");
  yield* maybeOneOf(`${field}.selectPolicy`, selectPolicy, ["Disabled", "Max", "Min"]);
  yield* required(`${field}.policies`, policies, "must specify at least one Policy");
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
}

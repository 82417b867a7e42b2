import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerCondition, HorizontalPodAutoscalerStatus } from "pintle/kinds/autoscaling/v2";

/** What was found of the target of an autoscaler. */
export type Target = { readonly replicas: number } | { readonly failure: string };

/** Something to say about it, as an event too. */
export interface Complaint {
  readonly reason: string;
  readonly message: string;
}

export interface AutoscalerStep {
  readonly status: HorizontalPodAutoscalerStatus;
  readonly complaints: readonly Complaint[];
}

type Said = Pick<HorizontalPodAutoscalerCondition, "type" | "status" | "reason" | "message">;
type Metric = NonNullable<HorizontalPodAutoscaler["spec"]["metrics"]>[number];

/** Where an autoscaler stands in a cluster that serves no metrics: nobody is scaled, and it is said why. Pure. */
export function autoscalerStep({ spec, status }: HorizontalPodAutoscaler, target: Target, now: string): AutoscalerStep {
  if ("failure" in target) {
    const message = `the HPA controller was unable to get the target's current scale: ${target.failure}`;
    const said: Said = { type: "AbleToScale", status: "False", reason: "FailedGetScale", message };
    return {
      status: {
        ...status,
        currentMetrics: status.currentMetrics ?? (null as never),
        desiredReplicas: status.desiredReplicas ?? 0,
        conditions: put(status, [said], now),
      },
      complaints: [{ reason: "FailedGetScale", message: target.failure }],
    };
  }
  const able: Said = {
    type: "AbleToScale",
    status: "True",
    reason: "SucceededGetScale",
    message: "the HPA controller was able to get the target's current scale",
  };
  if (target.replicas === 0) {
    const message = "scaling is disabled since the replica count of the target is zero";
    const off: Said = { type: "ScalingActive", status: "False", reason: "ScalingDisabled", message };
    return { status: { ...status, currentReplicas: 0, desiredReplicas: 0, conditions: put(status, [able, off], now) }, complaints: [] };
  }
  const metrics = spec.metrics ?? [];
  const failures = metrics.map(failureOf);
  const [first] = failures;
  const message = `the HPA was unable to compute the replica count: ${first?.message ?? ""}`;
  const idle: Said = { type: "ScalingActive", status: "False", reason: first?.reason ?? "FailedComputeMetricsReplicas", message };
  return {
    status: {
      ...status,
      currentReplicas: target.replicas,
      desiredReplicas: status.desiredReplicas ?? 0,
      currentMetrics: metrics.map(() => ({ type: "" })) as never,
      conditions: put(status, [able, idle], now),
    },
    complaints: [
      ...failures.map(({ reason, message: why }) => ({ reason, message: why })),
      ...(first === undefined
        ? []
        : [
            {
              reason: "FailedComputeMetricsReplicas",
              message: `invalid metrics (${failures.length} invalid out of ${metrics.length}), first error is: failed to get ${first.what}: ${first.message}`,
            },
          ]),
    ],
  };
}

const NO_SERVER =
  "unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)";
const NO_CUSTOM = "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered";
const NO_EXTERNAL = "unable to fetch metrics from external metrics API: no external metrics API (external.metrics.k8s.io) registered";

/** Why a metric cannot be had. */
function failureOf(metric: Metric): Complaint & { readonly what: string } {
  switch (metric.type) {
    case "Resource": {
      const { name = "", target } = metric.resource ?? {};
      const why = `unable to get metrics for resource ${name}: ${NO_SERVER}`;
      const message = target?.averageUtilization === undefined ? why : `failed to get ${name} utilization: ${why}`;
      return { reason: "FailedGetResourceMetric", message, what: `${name} resource metric value` };
    }
    case "ContainerResource": {
      const { name = "", container = "" } = metric.containerResource ?? {};
      const message = `failed to get ${name} utilization: unable to get metrics for resource ${name}: ${NO_SERVER}`;
      return { reason: "FailedGetContainerResourceMetric", message, what: `${name} container metric value: container ${container}` };
    }
    case "External": {
      const name = metric.external?.metric.name ?? "";
      return {
        reason: "FailedGetExternalMetric",
        message: `unable to get external metric ${name}: ${NO_EXTERNAL}`,
        what: `${name} external metric value`,
      };
    }
    case "Object": {
      const name = metric.object?.metric.name ?? "";
      return { reason: "FailedGetObjectMetric", message: `unable to get metric ${name}: ${NO_CUSTOM}`, what: `object metric value` };
    }
    default: {
      const name = metric.pods?.metric.name ?? "";
      return { reason: "FailedGetPodsMetric", message: `unable to get metric ${name}: ${NO_CUSTOM}`, what: `pods metric value` };
    }
  }
}

function put(
  { conditions = [] }: HorizontalPodAutoscalerStatus,
  said: readonly Said[],
  now: string,
): readonly HorizontalPodAutoscalerCondition[] {
  const made = said.map((each) => {
    const old = conditions.find(({ type }) => type === each.type);
    return { ...each, lastTransitionTime: old?.status === each.status ? old.lastTransitionTime : now };
  });
  const others = conditions.filter(({ type }) => !said.some((each) => each.type === type));
  return [...made, ...others];
}

import type { Client } from "pintle/client";
import { canonicalizeQuantity } from "pintle/internal/merge";
import type { LabelSelector } from "pintle/kinds";
import type { HorizontalPodAutoscaler, MetricStatus } from "pintle/kinds/autoscaling/v2";
import type { Pod } from "pintle/kinds/core/v1";
import { MetricError, readResourceMetrics, toMilli } from "./pod-metrics.ts";
import { computeUtilizationReplicas, computeValueReplicas, type Tolerances } from "./replica-calculator.ts";

export type MetricSpec = NonNullable<HorizontalPodAutoscaler["spec"]["metrics"]>[number];

/** The target of an autoscaler, and its pods. */
export interface MetricContext {
  readonly client: Pick<Client, "request">;
  readonly namespace: string;
  /** The selector of the target's scale. */
  readonly selector: string;
  readonly pods: readonly Pod[];
  readonly currentReplicas: number;
  readonly tolerances: Tolerances;
  readonly now: number;
}

/** The number of replicas that a metric proposes. */
export interface MetricProposal {
  readonly replicas: number;
  /** The metric as reasons of rescaling name it. */
  readonly name: string;
  readonly status: MetricStatus;
}

/** A metric that proposes nothing: the reason and message of its event, and the error that the summary of all metrics quotes. */
export interface MetricFailure {
  readonly reason: string;
  readonly message: string;
  readonly summary: string;
}

/** Reads a metric and computes the replicas that it proposes. The cluster serves the resource metrics API, and no other. */
export async function proposeReplicas(metric: MetricSpec, context: MetricContext): Promise<MetricProposal | MetricFailure> {
  switch (metric.type) {
    case "Resource":
      return proposeByResource(metric.resource!, undefined, context);
    case "ContainerResource":
      return proposeByResource(metric.containerResource!, metric.containerResource!.container, context);
    default:
      return describeUnservedMetric(metric, context.namespace);
  }
}

type ResourceSource = NonNullable<MetricSpec["resource"]>;

async function proposeByResource(
  { name: resource, target }: ResourceSource,
  container: string | undefined,
  context: MetricContext,
): Promise<MetricProposal | MetricFailure> {
  const isUtilization = target.averageValue === undefined;
  try {
    const { replicas, averageValue, utilization } = await computeByResource(resource, target, container, context);
    const current = {
      ...(utilization === undefined ? {} : { averageUtilization: utilization }),
      averageValue: formatMilli(averageValue, resource === "memory"),
    };
    const kind = container === undefined ? "resource" : "container resource";
    return {
      replicas,
      name: isUtilization ? `${resource} ${kind} utilization (percentage of request)` : `${resource} resource`,
      status:
        container === undefined
          ? { type: "Resource", resource: { name: resource, current } }
          : { type: "ContainerResource", containerResource: { name: resource, container, current } },
    };
  } catch (error) {
    if (!(error instanceof MetricError)) throw error;
    const message = `failed to get ${resource} ${isUtilization ? "utilization" : "usage"}: ${error.message}`;
    return container === undefined
      ? { reason: "FailedGetResourceMetric", message, summary: `failed to get ${resource} resource metric value: ${message}` }
      : { reason: "FailedGetContainerResourceMetric", message, summary: `failed to get ${container} container metric value: ${message}` };
  }
}

async function computeByResource(
  resource: string,
  target: ResourceSource["target"],
  container: string | undefined,
  context: MetricContext,
) {
  const { client, namespace, selector, ...rest } = context;
  const metrics = await readResourceMetrics(client, { namespace, selector, resource, container }).catch((error: unknown) => {
    throw error instanceof MetricError ? new MetricError(`unable to get metrics for resource ${resource}: ${error.message}`) : error;
  });
  return target.averageValue === undefined
    ? computeUtilizationReplicas({ ...rest, metrics, resource, container, target: target.averageUtilization ?? 0 })
    : computeValueReplicas({ ...rest, metrics, resource, target: toMilli(target.averageValue) });
}

const NO_CUSTOM_METRICS = "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered";

/** Describes a metric of the custom or external metrics API in the words of kube-controller-manager. */
function describeUnservedMetric(metric: MetricSpec, namespace: string): MetricFailure {
  if (metric.type === "Pods") {
    const message = `unable to get metric ${metric.pods?.metric.name}: ${NO_CUSTOM_METRICS}`;
    return { reason: "FailedGetPodsMetric", message, summary: `failed to get pods metric value: ${message}` };
  }
  if (metric.type === "Object") {
    const { name } = metric.object!.metric;
    const { describedObject: object, target } = metric.object!;
    // The order of the arguments is kube-controller-manager's.
    const message = `unable to get metric ${name}: ${object.kind} on ${namespace} ${object.name}/${NO_CUSTOM_METRICS}`;
    const detail = target.type === "AverageValue" ? `failed to get ${name} object metric: ${message}` : message;
    return { reason: "FailedGetObjectMetric", message, summary: `failed to get object metric value: ${detail}` };
  }
  const { metric: identifier, target } = metric.external!;
  const { name, selector } = identifier;
  const why = `the server could not find the requested resource (get ${name}.external.metrics.k8s.io)`;
  const identity = `${namespace}/${name}/${formatGoSelector(selector)}`;
  const message = `unable to get external metric ${identity}: unable to fetch metrics from external metrics API: ${why}`;
  const detail = target.averageValue === undefined ? `failed to get external metric ${name}` : `failed to get ${name} external metric`;
  return { reason: "FailedGetExternalMetric", message, summary: `failed to get ${name} external metric value: ${detail}: ${message}` };
}

/** Formats a label selector as Go prints the struct. */
function formatGoSelector(selector: LabelSelector | undefined): string {
  if (selector === undefined) return "nil";
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) => `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.map(([key, value]) => `${key}: ${value},`).join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}

/** Formats thousandths as a quantity: memory with binary suffixes, as the metrics API does. */
function formatMilli(value: bigint, isBinary: boolean): string {
  if (!isBinary) return canonicalizeQuantity(`${value}m`) ?? "0";
  const bytes = (value + 999n) / 1000n;
  return (bytes % 1024n === 0n ? canonicalizeQuantity(`${bytes / 1024n}Ki`) : undefined) ?? String(bytes);
}

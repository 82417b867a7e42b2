import type { JsonObject } from "pintle/kinds";
import type { HorizontalPodAutoscaler as V1 } from "pintle/kinds/autoscaling/v1";
import type { HorizontalPodAutoscaler as V2 } from "pintle/kinds/autoscaling/v2";
import type { Conversion } from "../../../api/index.ts";
import type { Unvalidated } from "../../draft.ts";

/** Annotations that hold the fields which autoscaling/v1 does not have. */
const ANNOTATIONS = {
  metrics: "autoscaling.alpha.kubernetes.io/metrics",
  behavior: "autoscaling.alpha.kubernetes.io/behavior",
  currentMetrics: "autoscaling.alpha.kubernetes.io/current-metrics",
  conditions: "autoscaling.alpha.kubernetes.io/conditions",
} as const;
const ANNOTATION_NAMES = new Set<string>(Object.values(ANNOTATIONS));

/** Converts autoscalers between the two versions; they are stored as autoscaling/v2. */
export const autoscalerConversion: Conversion = {
  fromStorage: async (objects) => objects.map((object) => toV1(object as Unvalidated<V2>)),
  toStorage: async (object) => toV2(object as Unvalidated<V1>),
};

/** Converts an autoscaler to a version. */
export function convertAutoscaler(object: JsonObject, version: string): JsonObject {
  if (object["apiVersion"] === `autoscaling/${version}`) return object;
  return version === "v1" ? toV1(object as Unvalidated<V2>) : toV2(object as Unvalidated<V1>);
}

type Metric = NonNullable<NonNullable<Unvalidated<V2>["spec"]>["metrics"]>[number];

const isCpuUtilization = ({ type, resource }: Metric) =>
  type === "Resource" && resource?.name === "cpu" && resource.target?.averageUtilization != null;
const nonEmpty = (list: readonly unknown[] | null | undefined) => (list?.length ? list : undefined);

function toV1({ metadata, spec, status }: Unvalidated<V2>): JsonObject {
  const { metrics, behavior, ...rest } = spec ?? {};
  const { currentMetrics, conditions, ...counts } = status ?? {};
  const fields = {
    metrics: nonEmpty(metrics?.filter((metric) => !isCpuUtilization(metric))),
    behavior: behavior ?? undefined,
    currentMetrics: nonEmpty(currentMetrics),
    conditions: nonEmpty(conditions),
  };
  const annotations = Object.entries(fields).flatMap(([field, value]) =>
    value === undefined ? [] : [[ANNOTATIONS[field as keyof typeof ANNOTATIONS], JSON.stringify(value)] as const],
  );
  const cpu = metrics?.find(isCpuUtilization)?.resource?.target?.averageUtilization;
  const used = currentMetrics?.find(({ resource }) => resource?.name === "cpu")?.resource?.current?.averageUtilization;
  return {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v1",
    metadata: replaceAnnotations(metadata, Object.fromEntries(annotations)),
    spec: { ...rest, ...(cpu == null ? {} : { targetCPUUtilizationPercentage: cpu }) },
    status: { ...counts, ...(used == null ? {} : { currentCPUUtilizationPercentage: used }) },
  } as JsonObject;
}

function toV2({ metadata, spec, status }: Unvalidated<V1>): JsonObject {
  const { targetCPUUtilizationPercentage: cpu, ...rest } = spec ?? {};
  const { currentCPUUtilizationPercentage: used, ...counts } = status ?? {};
  const read = (field: keyof typeof ANNOTATIONS) => parseAnnotation(metadata?.annotations?.[ANNOTATIONS[field]]);
  const others = (read("metrics") ?? []) as readonly unknown[];
  const metric = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: cpu } } };
  const behavior = read("behavior");
  const conditions = read("conditions");
  const current = read("currentMetrics") ?? (used == null ? undefined : [createCpuStatus(used)]);
  return {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v2",
    metadata: replaceAnnotations(metadata, {}),
    spec: { ...rest, metrics: cpu == null ? others : [...others, metric], ...(behavior === undefined ? {} : { behavior }) },
    status: { ...counts, currentMetrics: current ?? null, ...(conditions === undefined ? {} : { conditions }) },
  } as JsonObject;
}

const createCpuStatus = (averageUtilization: number) => ({ type: "Resource", resource: { name: "cpu", current: { averageUtilization } } });

/** Replaces the round-trip annotations of metadata. */
function replaceAnnotations(metadata: Unvalidated<V1>["metadata"], annotations: Readonly<Record<string, string>>): object {
  const own = Object.entries(metadata?.annotations ?? {}).filter(([name]) => !ANNOTATION_NAMES.has(name));
  const all = { ...Object.fromEntries(own), ...annotations };
  const { annotations: _, ...rest } = metadata ?? {};
  return Object.keys(all).length === 0 ? rest : { ...rest, annotations: all };
}

/** Parses an annotation; undefined if it is invalid. */
function parseAnnotation(text: string | null | undefined): unknown {
  try {
    return text == null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

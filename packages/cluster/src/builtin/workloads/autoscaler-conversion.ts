import type { JsonObject } from "pintle/kinds";
import type { HorizontalPodAutoscaler as V1 } from "pintle/kinds/autoscaling/v1";
import type { HorizontalPodAutoscaler as V2 } from "pintle/kinds/autoscaling/v2";
import type { Conversion } from "../../api/index.ts";
import type { Loose } from "../draft.ts";

/** What autoscaling/v1 has no fields for travels in annotations. */
const ANNOTATION = {
  metrics: "autoscaling.alpha.kubernetes.io/metrics",
  behavior: "autoscaling.alpha.kubernetes.io/behavior",
  currentMetrics: "autoscaling.alpha.kubernetes.io/current-metrics",
  conditions: "autoscaling.alpha.kubernetes.io/conditions",
} as const;
const NAMES = new Set<string>(Object.values(ANNOTATION));

/** Autoscalers of both versions are the same objects; they are stored as autoscaling/v2. */
export const autoscalerConversion: Conversion = {
  fromStorage: async (objects) => objects.map((object) => toV1(object as Loose<V2>)),
  toStorage: async (object) => toV2(object as Loose<V1>),
};

/** Either version in the other. */
export function autoscalerIn(object: JsonObject, version: string): JsonObject {
  if (object["apiVersion"] === `autoscaling/${version}`) return object;
  return version === "v1" ? toV1(object as Loose<V2>) : toV2(object as Loose<V1>);
}

type Metric = NonNullable<NonNullable<Loose<V2>["spec"]>["metrics"]>[number];

const isCpu = ({ type, resource }: Metric) =>
  type === "Resource" && resource?.name === "cpu" && resource.target?.averageUtilization != null;
const filled = (list: readonly unknown[] | null | undefined) => (list?.length ? list : undefined);

function toV1({ metadata, spec, status }: Loose<V2>): JsonObject {
  const { metrics, behavior, ...rest } = spec ?? {};
  const { currentMetrics, conditions, ...counts } = status ?? {};
  const kept = {
    metrics: filled(metrics?.filter((metric) => !isCpu(metric))),
    behavior: behavior ?? undefined,
    currentMetrics: filled(currentMetrics),
    conditions: filled(conditions),
  };
  const written = Object.entries(kept).flatMap(([field, value]) =>
    value === undefined ? [] : [[ANNOTATION[field as keyof typeof ANNOTATION], JSON.stringify(value)] as const],
  );
  const cpu = metrics?.find(isCpu)?.resource?.target?.averageUtilization;
  const used = currentMetrics?.find(({ resource }) => resource?.name === "cpu")?.resource?.current?.averageUtilization;
  return {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v1",
    metadata: annotated(metadata, Object.fromEntries(written)),
    spec: { ...rest, ...(cpu == null ? {} : { targetCPUUtilizationPercentage: cpu }) },
    status: { ...counts, ...(used == null ? {} : { currentCPUUtilizationPercentage: used }) },
  } as JsonObject;
}

function toV2({ metadata, spec, status }: Loose<V1>): JsonObject {
  const { targetCPUUtilizationPercentage: cpu, ...rest } = spec ?? {};
  const { currentCPUUtilizationPercentage: used, ...counts } = status ?? {};
  const read = (field: keyof typeof ANNOTATION) => parsed(metadata?.annotations?.[ANNOTATION[field]]);
  const others = (read("metrics") ?? []) as readonly unknown[];
  const metric = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: cpu } } };
  const behavior = read("behavior");
  const conditions = read("conditions");
  const current = read("currentMetrics") ?? (used == null ? undefined : [usage(used)]);
  return {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v2",
    metadata: annotated(metadata, {}),
    spec: { ...rest, metrics: cpu == null ? others : [...others, metric], ...(behavior === undefined ? {} : { behavior }) },
    status: { ...counts, currentMetrics: current ?? null, ...(conditions === undefined ? {} : { conditions }) },
  } as JsonObject;
}

const usage = (averageUtilization: number) => ({ type: "Resource", resource: { name: "cpu", current: { averageUtilization } } });

/** Metadata with these round-trip annotations and no others. */
function annotated(metadata: Loose<V1>["metadata"], annotations: Readonly<Record<string, string>>): object {
  const own = Object.entries(metadata?.annotations ?? {}).filter(([name]) => !NAMES.has(name));
  const all = { ...Object.fromEntries(own), ...annotations };
  const { annotations: _, ...rest } = metadata ?? {};
  return Object.keys(all).length === 0 ? rest : { ...rest, annotations: all };
}

/** An annotation that cannot be read says nothing. */
function parsed(text: string | null | undefined): unknown {
  try {
    return text == null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

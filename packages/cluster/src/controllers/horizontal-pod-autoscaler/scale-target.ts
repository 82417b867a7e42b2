import { type Client, Conflict, RequestError, type Scale } from "pintle/client";
import type { AnyKind } from "pintle/kinds";
import type { HorizontalPodAutoscaler } from "pintle/kinds/autoscaling/v2";
import { FIELD_MANAGER } from "../field-manager.ts";
import { MetricError } from "./pod-metrics.ts";

/** The workload that an autoscaler scales. */
export interface ScaleTarget {
  readonly kind: AnyKind;
  readonly scale: Scale;
}

const MAX_RESCALE_ATTEMPTS = 5;

/** Finds the workload that an autoscaler scales. Throws `MetricError` or `RequestError`. */
export async function getScaleTarget(client: Client, { spec, metadata: { namespace } }: HorizontalPodAutoscaler): Promise<ScaleTarget> {
  const { apiVersion = "v1", kind: kindName, name } = spec.scaleTargetRef;
  const kind = (await findKind(client, apiVersion, kindName)) as never;
  return { kind, scale: await client.scale.get(kind, { name, namespace } as never) };
}

/** Finds a kind of a group in whatever version is served. */
async function findKind(client: Client, apiVersion: string, kind: string): Promise<AnyKind> {
  try {
    return (await client.discoverKind(apiVersion, kind)) as AnyKind;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
    const served = (await client.discoverKinds()).find((each) => each.group === group && each.kind === kind);
    if (served === undefined) throw new MetricError(`no matches for kind "${kind}" in group "${group}"`);
    return served as AnyKind;
  }
}

/** Sets the replicas of the workload; a conflict is retried with the latest scale. */
export async function rescale(
  client: Client,
  { spec, metadata: { namespace } }: HorizontalPodAutoscaler,
  { kind, scale }: ScaleTarget,
  replicas: number,
): Promise<void> {
  const ref = { name: spec.scaleTargetRef.name, namespace } as never;
  for (let attempt = 1, latest = scale; ; attempt++) {
    try {
      await client.scale.replace(kind as never, ref, { ...latest, spec: { ...latest.spec, replicas } }, FIELD_MANAGER);
      return;
    } catch (error) {
      if (!(error instanceof Conflict) || attempt === MAX_RESCALE_ATTEMPTS) throw error;
      latest = await client.scale.get(kind as never, ref);
    }
  }
}

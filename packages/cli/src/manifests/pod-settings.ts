import type { JsonObject } from "pintle/kinds";
import type { EnvironmentValue, ProbeSettings, Volume } from "../project/index.ts";
import { type ManifestContext, managerSelector, objectMetadata } from "./context.ts";
import type { Manifest } from "./manifest.ts";

/** Returns the `env` entry of one variable of `pintle.config.ts`. */
export function buildEnvironmentVariable(name: string, value: EnvironmentValue): JsonObject {
  if (typeof value === "string") return { name, value };
  if ("field" in value) return { name, valueFrom: { fieldRef: { fieldPath: value.field } } };
  const optional = value.optional === undefined ? {} : { optional: value.optional };
  if ("secret" in value) return { name, valueFrom: { secretKeyRef: { name: value.secret, key: value.key, ...optional } } };
  return { name, valueFrom: { configMapKeyRef: { name: value.configMap, key: value.key, ...optional } } };
}

/** Returns the `envFrom` of the manager container; empty if nothing is configured. */
export function buildEnvironmentSources({ project: { config } }: ManifestContext): readonly JsonObject[] {
  return (config.envFrom ?? []).map((source) => {
    const prefix = source.prefix === undefined ? {} : { prefix: source.prefix };
    const optional = source.optional === undefined ? {} : { optional: source.optional };
    return "secret" in source
      ? { ...prefix, secretRef: { name: source.secret, ...optional } }
      : { ...prefix, configMapRef: { name: source.configMap, ...optional } };
  });
}

/** Returns the configured volumes of the pod, and where the manager container mounts them. */
export function buildVolumes({ project: { config } }: ManifestContext): {
  readonly volumes: readonly JsonObject[];
  readonly mounts: readonly JsonObject[];
} {
  const all = Object.entries(config.volumes ?? {});
  return {
    volumes: all.map(([name, volume]) => ({ name, ...volumeSource(volume) })),
    mounts: all.map(([name, volume]) => ({
      name,
      mountPath: volume.mountPath,
      ...(volume.subPath === undefined ? {} : { subPath: volume.subPath }),
      ...((volume.readOnly ?? ("secret" in volume || "configMap" in volume)) ? { readOnly: true } : {}),
    })),
  };
}

function volumeSource(volume: Volume): JsonObject {
  if ("secret" in volume) return { secret: { secretName: volume.secret } };
  if ("configMap" in volume) return { configMap: { name: volume.configMap } };
  if ("persistentVolumeClaim" in volume) return { persistentVolumeClaim: { claimName: volume.persistentVolumeClaim } };
  if ("emptyDir" in volume) return { emptyDir: volume.emptyDir as JsonObject };
  return volume.source;
}

/** Returns liveness and readiness probes with the configured settings, and a startup probe if one is configured. */
export function buildProbes({ project: { config } }: ManifestContext): JsonObject {
  const { liveness = {}, readiness = {}, startup } = config.probes ?? {};
  const probe = (path: string, settings: ProbeSettings) => ({ httpGet: { path, port: "health" }, ...settings });
  return {
    livenessProbe: probe("/healthz", { initialDelaySeconds: 15, periodSeconds: 20, ...liveness }),
    readinessProbe: probe("/readyz", { initialDelaySeconds: 2, periodSeconds: 10, ...readiness }),
    ...(startup === undefined ? {} : { startupProbe: probe("/healthz", startup) }),
  };
}

/** Returns the constraints that spread several replicas over nodes and zones where possible. */
export function defaultTopologySpread(context: ManifestContext): readonly JsonObject[] {
  const labelSelector = { matchLabels: managerSelector(context) };
  return ["kubernetes.io/hostname", "topology.kubernetes.io/zone"].map((topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector,
  }));
}

/** Returns where the manager pods may run. Several replicas are spread over nodes and zones unless configured otherwise. */
export function buildScheduling(context: ManifestContext): JsonObject {
  const { nodeSelector, tolerations, affinity, priorityClassName, topologySpread = "default", replicas = 1 } = context.project.config;
  const labelSelector = { matchLabels: managerSelector(context) };
  const defaults = replicas > 1 ? defaultTopologySpread(context) : [];
  const spread =
    topologySpread === "default" ? defaults : topologySpread === false ? [] : topologySpread.map((each) => ({ labelSelector, ...each }));
  return {
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(tolerations === undefined ? {} : { tolerations: tolerations as never }),
    ...(affinity === undefined ? {} : { affinity: affinity as never }),
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    ...(spread.length === 0 ? {} : { topologySpreadConstraints: spread as never }),
  };
}

/** Returns the PodDisruptionBudget; none for a single replica unless it is configured, because it would only delay the drain of a node. */
export function buildDisruptionBudgetManifests(context: ManifestContext): readonly Manifest[] {
  const { replicas = 1, podDisruptionBudget = replicas > 1 } = context.project.config;
  if (podDisruptionBudget === false) return [];
  const limits = podDisruptionBudget === true ? { maxUnavailable: 1 } : podDisruptionBudget;
  const object = {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: objectMetadata(context, "controller-manager", { namespaced: true, labels: { "control-plane": "controller-manager" } }),
    // Pods that are not ready must not block the drain of their node.
    spec: { ...limits, selector: { matchLabels: managerSelector(context) }, unhealthyPodEvictionPolicy: "AlwaysAllow" },
  };
  return [{ folder: "manager", file: "pod_disruption_budget.yaml", object: object as unknown as JsonObject }];
}

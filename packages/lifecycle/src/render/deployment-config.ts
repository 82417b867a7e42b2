import type { JsonObject } from "pintle/internal/json";
import { isJsonEqual } from "pintle/internal/merge";

/** The fields of a Deployment that a configuration changes. */
export interface Deployment {
  readonly metadata: JsonObject;
  readonly spec: JsonObject & { readonly template: JsonObject & { readonly metadata: JsonObject; readonly spec: PodSpec } };
}

/** The fields of a pod that a configuration changes. */
export type PodSpec = JsonObject & {
  readonly containers?: readonly Container[];
  readonly volumes?: readonly JsonObject[];
  readonly tolerations?: readonly JsonObject[];
  readonly affinity?: JsonObject;
};

/** A container of a pod. */
export type Container = JsonObject & {
  readonly env?: readonly JsonObject[];
  readonly envFrom?: readonly JsonObject[];
  readonly volumeMounts?: readonly JsonObject[];
};

type Entries = readonly JsonObject[] | undefined;

/** Applies `deploymentConfig` of a ClusterExtension to a Deployment. */
export function applyDeploymentConfig(deployment: Deployment, config: JsonObject): Deployment {
  const { template } = deployment.spec;
  const annotations = (config["annotations"] ?? {}) as JsonObject;
  const annotate = (metadata: JsonObject): JsonObject =>
    Object.keys(annotations).length === 0
      ? metadata
      : { ...metadata, annotations: { ...annotations, ...(metadata["annotations"] as JsonObject | undefined) } };
  return {
    ...deployment,
    metadata: annotate(deployment.metadata),
    spec: {
      ...deployment.spec,
      template: { ...template, metadata: annotate(template.metadata), spec: configurePod(template.spec, config) },
    },
  };
}

function configurePod(pod: PodSpec, config: JsonObject): PodSpec {
  const configured = {
    ...pod,
    ...optional(
      "containers",
      pod.containers?.map((container) => configureContainer(container, config)),
    ),
    ...optional("volumes", mergeByName(pod.volumes, config["volumes"] as Entries)),
    ...optional("tolerations", addMissing(pod.tolerations, config["tolerations"] as Entries)),
    ...optional("nodeSelector", config["nodeSelector"]),
  } as PodSpec;
  return config["affinity"] === undefined ? configured : configureAffinity(configured, config["affinity"] as JsonObject);
}

function configureContainer(container: Container, config: JsonObject): Container {
  return {
    ...container,
    ...optional("env", mergeByName(container.env, config["env"] as Entries)),
    ...optional("envFrom", addMissing(container.envFrom, config["envFrom"] as Entries)),
    ...optional("volumeMounts", mergeByName(container.volumeMounts, config["volumeMounts"] as Entries)),
    ...optional("resources", config["resources"]),
  } as Container;
}

/** Entries of the configuration replace those with the same name, and are added otherwise. */
function mergeByName(entries: Entries, added: Entries = []): Entries {
  if (added.length === 0) return entries;
  const result = [...(entries ?? [])];
  // Of equal names, the last is the one that is replaced; what is added is not compared.
  const positions = new Map(result.map((entry, i) => [entry["name"] ?? "", i]));
  for (const entry of added) {
    const at = positions.get(entry["name"] ?? "");
    if (at === undefined) result.push(entry);
    else result[at] = entry;
  }
  return result;
}

function addMissing(entries: Entries, added: Entries = []): Entries {
  if (added.length === 0) return entries;
  const result = [...(entries ?? [])];
  for (const entry of added) if (!result.some((existing) => isJsonEqual(existing, entry))) result.push(entry);
  return result;
}

const AFFINITIES = ["nodeAffinity", "podAffinity", "podAntiAffinity"] as const;

/** An empty affinity removes that of the pod; an empty part of it removes that part. */
function configureAffinity(pod: PodSpec, affinity: JsonObject): PodSpec {
  const { affinity: current = {}, ...rest } = pod;
  if (AFFINITIES.every((part) => affinity[part] === undefined)) return rest as PodSpec;
  const merged: Record<string, unknown> = { ...current };
  for (const part of AFFINITIES) {
    if (affinity[part] === undefined) continue;
    if (isEmptyAffinity(affinity[part] as JsonObject)) delete merged[part];
    else merged[part] = affinity[part];
  }
  const isEmpty = AFFINITIES.every((part) => merged[part] === undefined || isEmptyAffinity(merged[part] as JsonObject));
  return (isEmpty ? rest : { ...rest, affinity: merged }) as PodSpec;
}

function isEmptyAffinity(affinity: JsonObject): boolean {
  const required = affinity["requiredDuringSchedulingIgnoredDuringExecution"];
  const terms = Array.isArray(required) ? required : (required as JsonObject | undefined)?.["nodeSelectorTerms"];
  const preferred = affinity["preferredDuringSchedulingIgnoredDuringExecution"];
  return [terms, preferred].every((entries) => !Array.isArray(entries) || entries.length === 0);
}

function optional(name: string, value: unknown): Readonly<Record<string, unknown>> {
  return value === undefined ? {} : { [name]: value };
}

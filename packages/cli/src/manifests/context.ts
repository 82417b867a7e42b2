import type { JsonObject } from "pintle/kinds";
import type { OperatorDescription, Project } from "../project/index.ts";

/** Input of every manifest. */
export interface ManifestContext {
  readonly project: Project;
  readonly operator: OperatorDescription;
}

/** Returns name, namespace and labels of a generated object. */
export function objectMetadata(
  { project }: ManifestContext,
  name: string,
  options: { readonly namespaced?: boolean; readonly labels?: JsonObject } = {},
) {
  return {
    name: `${project.name}-${name}`,
    ...(options.namespaced ? { namespace: project.namespace } : {}),
    labels: { "app.kubernetes.io/managed-by": "pintle", "app.kubernetes.io/name": project.name, ...options.labels },
  };
}

/** Returns the labels that select the manager pods. */
export function managerSelector({ project }: ManifestContext): JsonObject {
  return { "app.kubernetes.io/name": project.name, "control-plane": "controller-manager" };
}

export const SERVICE_ACCOUNT = "controller-manager";
export const METRICS_PORT = 8443;
/** The port of `DEFAULTS.healthAddress`; not imported, because the manager takes long to load. */
export const HEALTH_PORT = 8081;

/** Returns the namespaces that the operator watches. */
export function resolveWatchedNamespaces({ project }: Pick<ManifestContext, "project">): "all" | readonly string[] {
  const { namespaces = "all" } = project.config;
  if (namespaces === "own") return [project.namespace];
  return namespaces === "all" ? "all" : [...new Set(namespaces)].sort();
}

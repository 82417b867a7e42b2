import type { JsonObject } from "pintle/kinds";
import type { Operator, Project } from "../project/index.ts";

/** What every manifest is made from. */
export interface Context {
  readonly project: Project;
  readonly operator: Operator;
}

/** Metadata as every generated object has it. */
export function metadata(
  { project }: Context,
  name: string,
  options: { readonly namespaced?: boolean; readonly labels?: JsonObject } = {},
) {
  return {
    name: `${project.name}-${name}`,
    ...(options.namespaced ? { namespace: project.namespace } : {}),
    labels: { "app.kubernetes.io/managed-by": "pintle", "app.kubernetes.io/name": project.name, ...options.labels },
  };
}

/** What finds the manager's pods. */
export function selector({ project }: Context): JsonObject {
  return { "app.kubernetes.io/name": project.name, "control-plane": "controller-manager" };
}

export const SERVICE_ACCOUNT = "controller-manager";
export const METRICS_PORT = 8443;
export const HEALTH_PORT = 8081;

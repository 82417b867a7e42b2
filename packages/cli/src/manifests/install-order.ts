import type { JsonObject } from "pintle/kinds";

/** Kinds that others stand on come first, as kustomize's legacy order has it. */
const FIRST = [
  "Namespace",
  "CustomResourceDefinition",
  "ServiceAccount",
  "Role",
  "ClusterRole",
  "RoleBinding",
  "ClusterRoleBinding",
  "ConfigMap",
  "Secret",
  "Service",
  "Deployment",
];

export function installOrder(objects: readonly JsonObject[]): readonly JsonObject[] {
  const place = ({ kind }: JsonObject) => FIRST.indexOf(kind as string) + 1 || FIRST.length + 1;
  return [...objects].sort((a, b) => place(a) - place(b));
}

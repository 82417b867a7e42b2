import type { JsonObject } from "pintle/kinds";

/** Kinds that other objects depend on come first, as in the legacy order of kustomize. */
const INSTALL_ORDER = [
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
  // In force before the first pod starts.
  "NetworkPolicy",
  "Deployment",
  "PodDisruptionBudget",
];

export function sortForInstall(objects: readonly JsonObject[]): readonly JsonObject[] {
  const position = ({ kind }: JsonObject) => INSTALL_ORDER.indexOf(kind as string) + 1 || INSTALL_ORDER.length + 1;
  return [...objects].sort((a, b) => position(a) - position(b));
}

/** The kinds that a bundle may contain. */
const NAMESPACED = new Set([
  ...["ClusterServiceVersion", "ConfigMap", "NetworkPolicy", "PodDisruptionBudget", "PodMonitor", "PrometheusRule", "Role"],
  ...["RoleBinding", "Secret", "Service", "ServiceAccount", "ServiceMonitor"],
]);
const CLUSTER_SCOPED = new Set([
  ...["ClusterRole", "ClusterRoleBinding", "ConsoleCLIDownload", "ConsoleLink", "ConsolePlugin", "ConsoleQuickStart", "ConsoleYAMLSample"],
  ...["CustomResourceDefinition", "PriorityClass"],
  // Namespaced, but not in the table of operator-registry, which OLM follows.
  "VerticalPodAutoscaler",
]);

/** Whether a bundle may contain objects of this kind. */
export function isSupportedKind(kind: string): boolean {
  return NAMESPACED.has(kind) || CLUSTER_SCOPED.has(kind);
}

/** Whether OLM installs objects of this kind into the namespace of the operator. */
export function isNamespacedKind(kind: string): boolean {
  return NAMESPACED.has(kind);
}

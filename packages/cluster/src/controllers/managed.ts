/** Who the workload controllers write as: what `kubectl get --show-managed-fields` shows on any cluster. */
export const MANAGED = { fieldManager: "kube-controller-manager" } as const;

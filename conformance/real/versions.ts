/** The one place that says which real Kubernetes we measure ourselves against. */
export const versions = {
  kubernetes: "1.36.3",
  etcd: "3.6.16",
  /** The oldest line of etcd that the store speaks to. */
  oldEtcd: "3.5.35",
  kwok: "0.8.0",
} as const;

/** The one place that says which real Kubernetes we measure ourselves against. */
export const versions = {
  kubernetes: "1.36.3",
  etcd: "3.6.16",
  kwok: "0.8.0",
} as const;

/** Where metrics are asked for. */
export const GROUP = "metrics.k8s.io";
export const VERSION = "v1beta1";

/** etcd as a pod: in comes where a cluster keeps its objects, out go the pod that shows it and the streams that reach it. */

export type { EtcdPlace } from "./etcd-place.ts";
export { type EtcdPod, type EtcdPodFacts, etcdPod } from "./etcd-pod.ts";

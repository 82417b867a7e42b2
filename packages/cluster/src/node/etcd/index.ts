/** etcd as a pod. In come the endpoints of the cluster's etcd; out come the mirror pod that shows it and the streams that run etcdctl. */

export type { EtcdClientConfig } from "./etcd-connection.ts";
export { type EtcdPod, type EtcdPodOptions, startEtcdPod } from "./etcd-pod.ts";

/**
 * `@pintle/cluster`: a Kubernetes control plane inside Node. `startCluster()` is all a test or `pintle dev` needs; it
 * gives back a transport for pintle's client and a kubeconfig for kubectl.
 */
export { type Cluster, type ClusterOptions, startCluster } from "./cluster.ts";
export type { EtcdChoice, EtcdPlace, FileChoice, StoreChoice } from "./store/index.ts";

/**
 * `@pintle/cluster`: a Kubernetes control plane inside Node. `startCluster()` is all a test or `pintle dev` needs; it
 * gives back a transport for pintle's client and a kubeconfig for kubectl.
 */
export type { PluginChoice, ServiceName, ServiceTarget } from "./admission/index.ts";
export { type Cluster, startCluster } from "./cluster.ts";
export type { AccountOptions, ClusterOptions, ClusterSnapshot, HttpsOptions } from "./cluster-options.ts";
export type {
  ContainerRef,
  FaultKit,
  ImageEntry,
  ImageTable,
  LogOptions,
  NodeStreams,
  PodUsage,
  ProcessNode,
  ProcessNodesOptions,
  Session,
  SessionEnd,
  SessionOptions,
  TerminalSize,
  Usage,
  Victim,
} from "./node/index.ts";
export type { EtcdChoice, EtcdPlace, FileChoice, StoreChoice } from "./store/index.ts";
export { type KubeletOptions, kubeletServer, type NodeRegistry } from "./streams/index.ts";
export {
  type ClusterKeys,
  type EntryMatch,
  type EventFault,
  type EventRule,
  type Fault,
  type FaultRule,
  type Faults,
  type Injected,
  type Journal,
  type JournalEntry,
  type OneOf,
  type RequestFault,
  type RequestMatch,
  type RequestRule,
  type SettledOptions,
  testAuthority,
  type WebhookFault,
  type WebhookRule,
} from "./testing/index.ts";

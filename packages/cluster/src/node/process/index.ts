/**
 * Process nodes: a kubelet whose containers are processes of this machine. In come a `ControllerContext` of any cluster and a `ProcessHost`
 * (a folder, an image table, an isolation mode); out come pod statuses and Events, a kube-proxy, a DNS server and `NodeStreams`.
 * `pod-worker/` runs one pod and executes the actions that `pod-sync/` decides, which is pure; `container/` starts and stops containers on
 * the `runtime/`; `image/`, `environment/`, `volume/` and `probe/` are the kubelet's managers; `service-network/` holds kube-proxy and DNS,
 * `streams/` logs, exec and port-forward, `host/` the machine.
 */
export type { FaultTarget, NodeFaultInjector } from "./fault-injector.ts";
export type { AddressRanges, PodIsolationMode } from "./host/address-ranges.ts";
export { type ProcessHost, type ProcessNodesOptions, prepareProcessHost } from "./host/process-host.ts";
export { findProgram, getSearchPath } from "./image/image-command.ts";
export {
  DEFAULT_IMAGES,
  findImageEntry,
  type ImageEntry,
  type ImageTable,
  type LoopbackOverrides,
} from "./image/image-table.ts";
export type { ProcessNode } from "./process-node.ts";
export { type ProcessNodes, startProcessNodes } from "./process-nodes.ts";
export { startProcess } from "./runtime/process.ts";
export { createCommandSession } from "./streams/session.ts";
export { canOpenTerminal, NO_TERMINAL_MESSAGE, wrapInTerminal } from "./streams/terminal.ts";

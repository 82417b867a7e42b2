/**
 * Process nodes: pods whose containers are real processes of this machine. In come a client of any cluster and a site (a
 * folder, an image table, a way of keeping pods apart); out go what a kubelet says about its pods, a proxy for services,
 * and NodeStreams. `sync` decides what to do next and is pure; `runtime` starts and keeps processes apart; the
 * folders beside them make what a container finds: image, environment, volumes, probes, services.
 */
export type { FaultKit, Victim } from "./fault-kit.ts";
export { programOf, searchPath } from "./image/command.ts";
export { entryOf, IMAGES, type ImageEntry, type ImageTable, type LoopbackRules } from "./image/table.ts";
export type { Mode, Networks } from "./networks.ts";
export type { ProcessNode } from "./process-node.ts";
export { type ProcessNodes, processNodes } from "./process-nodes.ts";
export { startProcess } from "./runtime/process.ts";
export { type ProcessNodesOptions, processSite, type Site } from "./site.ts";
export { commandSession } from "./stream/session.ts";
export { hasTerminals, inTerminal, NO_TERMINALS } from "./stream/terminal.ts";

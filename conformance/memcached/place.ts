/** Where pods are real memcached servers: on the embedded cluster, in every mode, and on a real control plane. */
import { type ProcessNode, startCluster } from "@pintle/cluster";
import type { Client } from "pintle/client";
import type { ProcessNodesOptions } from "../../packages/cluster/src/node/index.ts";
import { has, modes } from "../process/modes.ts";
import { startJoined } from "../real/joined.ts";
import { full, seed } from "../sampling.ts";
import { FormerMemcached } from "./former.ts";

export interface Ground extends AsyncDisposable {
  readonly client: Client;
  readonly node: ProcessNode;
}
export interface Place {
  readonly name: string;
  start(): Promise<Ground>;
}

const embedded = (mode: NonNullable<ProcessNodesOptions["mode"]>): Place => ({
  name: `the embedded cluster, ${mode}`,
  async start() {
    const cluster = await startCluster({ nodes: { kind: "process", mode } });
    await cluster.ready;
    return { client: cluster.client({ onWarning: () => {} }), node: cluster.nodes[0]!, [Symbol.asyncDispose]: () => cluster.stop() };
  },
});

const real: Place = {
  name: "a real control plane, namespaces",
  async start() {
    const { client, processes, stop } = await startJoined({
      nodes: { kind: "process", mode: "namespaces" },
      definitions: [FormerMemcached.crd()],
    });
    return { client, node: processes[0]!, [Symbol.asyncDispose]: stop };
  },
};

const here = modes.map(embedded);
const all = [...here, ...(modes.includes("namespaces") ? [real] : [])];

export const isInstalled = has("memcached");
if (!isInstalled) console.warn("\n!!! SKIPPED: memcached is not installed, so no real one was tried. Debian has it.\n");

/** All with `--full`, else one that is quick. */
export const places: readonly Place[] = full ? all : here.slice(seed % here.length).slice(0, 1);

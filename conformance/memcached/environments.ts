/** Environments in which pods are real memcached servers: the embedded cluster in every mode, and a real control plane. */
import { type ClusterNode, startCluster } from "@pintle/cluster";
import type { Client } from "pintle/client";
import type { ProcessNodesOptions } from "../../packages/cluster/src/node/index.ts";
import { isProgramInstalled, modes } from "../process/modes.ts";
import { startJoined } from "../real/joined.ts";
import { full, seed } from "../sampling.ts";
import { PreviousMemcached } from "./previous-release.ts";

export interface MemcachedEnvironment extends AsyncDisposable {
  readonly client: Client;
  readonly node: ClusterNode;
}
export interface MemcachedEnvironmentCase {
  readonly name: string;
  start(): Promise<MemcachedEnvironment>;
}

const embeddedEnvironment = (mode: NonNullable<ProcessNodesOptions["mode"]>): MemcachedEnvironmentCase => ({
  name: `the embedded cluster, ${mode}`,
  async start() {
    const cluster = await startCluster({ nodes: { kind: "process", mode } });
    await cluster.ready;
    return { client: cluster.client({ onWarning: () => {} }), node: cluster.nodes[0]!, [Symbol.asyncDispose]: () => cluster.stop() };
  },
});

const real: MemcachedEnvironmentCase = {
  name: "a real control plane, namespaces",
  async start() {
    const { client, processes, stop } = await startJoined({
      nodes: { kind: "process", mode: "namespaces" },
      definitions: [PreviousMemcached.crd()],
    });
    return { client, node: processes[0]!, [Symbol.asyncDispose]: stop };
  },
};

const here = modes.map(embeddedEnvironment);
const all = [...here, ...(modes.includes("namespaces") ? [real] : [])];

export const isInstalled = isProgramInstalled("memcached");
if (!isInstalled) console.warn("\n!!! SKIPPED: memcached is not installed, so no real server was tested. Install the Debian package.\n");

/** Every environment with `--full`, else one that starts quickly. */
export const environments: readonly MemcachedEnvironmentCase[] = full ? all : here.slice(seed % here.length).slice(0, 1);

/** Stands in for `@pintle/cluster` where a sample's tests run: the cluster they get is a real control plane with a node of ours. */
import type { Cluster } from "@pintle/cluster";
import { type ClientOptions, clientOver, locate, transportTo } from "pintle/client";
import type { Definition } from "../real/index.ts";
import { startJoined } from "../real/joined.ts";

/** Starting one takes seconds, so all files share it, one after the other, as they would share any real cluster. */
let shared: ReturnType<typeof startJoined> | undefined;
let definitions: readonly Definition[] = [];

/** Which kinds the cluster knows from its start. */
export function expecting(kinds: readonly { crd(): Definition }[]): void {
  definitions = kinds.map((kind) => kind.crd());
}

export async function startCluster(): Promise<Pick<Cluster, "client" | "transport" | "stop">> {
  shared ??= startJoined({ nodes: 1, definitions });
  const { kubeconfig } = await shared;
  const transport = await transportTo(await locate({ kubeconfig }));
  return { transport, client: (options: ClientOptions = {}) => clientOver(transport, options), stop: () => transport.close() };
}

export async function stopCluster(): Promise<void> {
  const joined = await shared;
  shared = undefined;
  await joined?.stop();
}

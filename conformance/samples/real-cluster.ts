/** Replaces `@pintle/cluster` in a sample's tests: the cluster they get is a real control plane with a simulated node. */
import type { Cluster } from "@pintle/cluster";
import { type ClientOptions, createClient, createTransport, loadClusterAccess } from "pintle/client";
import type { Definition } from "../real/index.ts";
import { startJoined } from "../real/joined.ts";

/** Starting a control plane takes seconds, so all files share it, one after the other. */
let shared: ReturnType<typeof startJoined> | undefined;
let definitions: readonly Definition[] = [];

/** Declares the kinds that the cluster has installed from its start. */
export function declareKinds(kinds: readonly { crd(): Definition }[]): void {
  definitions = kinds.map((kind) => kind.crd());
}

/** The control plane of all files, which the first call starts. */
export function sharedControlPlane(): NonNullable<typeof shared> {
  shared ??= startJoined({ nodes: 1, definitions });
  return shared;
}

export async function startCluster(): Promise<Pick<Cluster, "client" | "transport" | "stop">> {
  const { kubeconfig } = await sharedControlPlane();
  const transport = await createTransport(await loadClusterAccess({ kubeconfig }));
  return { transport, client: (options: ClientOptions = {}) => createClient(transport, options), stop: () => transport.close() };
}

export async function stopCluster(): Promise<void> {
  const joined = await shared;
  shared = undefined;
  await joined?.stop();
}

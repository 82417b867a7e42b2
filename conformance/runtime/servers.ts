import { startCluster } from "@pintle/cluster";
import { type Client, clientOver, connect } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { startControlPlane } from "../real/index.ts";

export interface Server {
  /** A client of one's own. */
  connect(): Promise<Client>;
  stop(): Promise<void>;
}

type Start = readonly [name: string, start: () => Promise<Server>];

export const real: Start = [
  "a real kube-apiserver",
  async () => {
    const plane = await startControlPlane({ controllerManager: true });
    return { connect: () => connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} }), stop: () => plane.stop() };
  },
];
export const embedded: Start = [
  "the embedded cluster",
  async () => {
    const cluster = await startCluster();
    return { connect: async () => clientOver(cluster.transport, { onWarning: () => {} }), stop: () => cluster.stop() };
  },
];

/** Installs a resource and waits until it is served. */
export async function install(client: Client, resource: { crd(): any }): Promise<void> {
  const { metadata } = await client.create(CustomResourceDefinition, resource.crd());
  const isServed = (crd: CustomResourceDefinition) =>
    crd.status?.conditions?.some((each) => each.type === "Established" && each.status === "True") ?? false;
  await client.wait(CustomResourceDefinition, metadata, isServed, { timeout: 20_000 });
}

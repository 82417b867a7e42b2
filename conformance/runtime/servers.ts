import { startCluster } from "@pintle/cluster";
import { type Client, connect, createClient } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { startControlPlane } from "../real/index.ts";

export interface RuntimeServer {
  /** Returns a new client. */
  connect(): Promise<Client>;
  stop(): Promise<void>;
}

type Start = readonly [name: string, start: () => Promise<RuntimeServer>];

export const REAL_SERVER: Start = [
  "a real kube-apiserver",
  async () => {
    const plane = await startControlPlane({ controllerManager: true });
    return { connect: () => connect({ kubeconfig: plane.kubeconfig, onWarning: () => {} }), stop: () => plane.stop() };
  },
];
export const EMBEDDED_SERVER: Start = [
  "the embedded cluster",
  async () => {
    const cluster = await startCluster();
    return { connect: async () => createClient(cluster.transport, { onWarning: () => {} }), stop: () => cluster.stop() };
  },
];

/** Installs a resource and waits until it is served. */
export async function install(client: Client, resource: { crd(): any }): Promise<void> {
  const { metadata } = await client.create(CustomResourceDefinition, resource.crd());
  const isServed = (crd: CustomResourceDefinition) =>
    crd.status?.conditions?.some((each) => each.type === "Established" && each.status === "True") ?? false;
  await client.waitFor(CustomResourceDefinition, metadata, isServed, { timeout: 20_000 });
}

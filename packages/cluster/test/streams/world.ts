import { type Client, clientOver, type Transport } from "pintle/client";
import { Node, Pod } from "pintle/kinds/core/v1";

export const AT = { name: "web", namespace: "default" };
const TIME = "2026-03-01T12:00:00Z";

/** A node that nobody but us looks after, and a pod that runs on it: one container that ran before, with a port. */
export async function settle(transport: Transport, kubelet?: { readonly port: number }): Promise<Client> {
  const client = clientOver(transport);
  const addresses = [{ type: "InternalIP", address: "127.0.0.1" }];
  await client.create(Node, {
    metadata: { name: "machine" },
    spec: {},
    status: { addresses, ...(kubelet && { daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } } }) },
  } as Parameters<typeof client.create<typeof Node>>[1]);
  const containers = ["main", "side"].map((name) => ({ name, image: "machine", ports: name === "main" ? [{ containerPort: 80 }] : [] }));
  for (const [name, kept] of [
    ["web", 1],
    ["pair", 2],
    ["fresh", 1],
  ] as const) {
    const spec = { nodeName: "machine", containers: containers.slice(0, kept), automountServiceAccountToken: false };
    await client.create(Pod, { metadata: { name, namespace: AT.namespace, labels: { app: name } }, spec });
    const state = name === "fresh" ? { waiting: { reason: "ContainerCreating" } } : { running: { startedAt: TIME } };
    const containerStatuses = containers.slice(0, kept).map(({ name: container, image }) => ({
      name: container,
      image,
      imageID: "machine://1",
      ...(name === "fresh" ? {} : { containerID: `machine://${container}` }),
      ready: name !== "fresh",
      restartCount: 0,
      state,
      lastState: {},
    }));
    const phase = name === "fresh" ? "Pending" : "Running";
    const conditions = [{ type: "Ready", status: name === "fresh" ? "False" : "True" }] as const;
    const status = { phase, podIP: "127.0.0.1", podIPs: [{ ip: "127.0.0.1" }], startTime: TIME, containerStatuses, conditions };
    await client.status.patch(Pod, { name, namespace: AT.namespace }, { merge: { status } });
  }
  return client;
}

import { type Client, createClient, type Transport } from "pintle/client";
import { Node, Pod } from "pintle/kinds/core/v1";

export const POD_REF = { name: "web", namespace: "default" };
const TIME = "2026-03-01T12:00:00Z";

/**
 * Creates a node without a kubelet, and pods on it: a running container with a port, a pod of two containers, and one that has not started.
 */
export async function createStreamFixtures(transport: Transport, kubelet?: { readonly port: number }): Promise<Client> {
  const client = createClient(transport);
  const addresses = [{ type: "InternalIP", address: "127.0.0.1" }];
  await client.create(Node, {
    metadata: { name: "machine" },
    spec: {},
    status: { addresses, ...(kubelet && { daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } } }) },
  } as Parameters<typeof client.create<typeof Node>>[1]);
  const containers = ["main", "side"].map((name) => ({ name, image: "machine", ports: name === "main" ? [{ containerPort: 80 }] : [] }));
  for (const [name, containerCount] of [
    ["web", 1],
    ["pair", 2],
    ["fresh", 1],
  ] as const) {
    const spec = { nodeName: "machine", containers: containers.slice(0, containerCount), automountServiceAccountToken: false };
    await client.create(Pod, { metadata: { name, namespace: POD_REF.namespace, labels: { app: name } }, spec });
    const state = name === "fresh" ? { waiting: { reason: "ContainerCreating" } } : { running: { startedAt: TIME } };
    const containerStatuses = containers.slice(0, containerCount).map(({ name: container, image }) => ({
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
    const status = { phase, podIP: "192.0.2.7", podIPs: [{ ip: "192.0.2.7" }], startTime: TIME, containerStatuses, conditions };
    await client.status.patch(Pod, { name, namespace: POD_REF.namespace }, { merge: { status } });
  }
  return client;
}

import { readFileSync } from "node:fs";

/** A client that reads one pod. */
export interface PodReader {
  read(): Promise<{ readonly spec?: { readonly containers: readonly unknown[] } | undefined }>;
}
export type ClientName = "pintle" | "client-node";

const ca = readFileSync(new URL("../../packages/pintle/test/client/certificates/ca.crt", import.meta.url), "utf8");
const ref = { name: "web-5d4f8c7b9-x2x5z", namespace: "default" };

/** Each function imports only its own client, so that the memory of a process is that of one client. */
export const podReaders: Record<ClientName, (server: string) => Promise<PodReader>> = {
  async pintle(server) {
    const { connect } = await import("pintle/client");
    const { Pod } = await import("pintle/kinds/core/v1");
    const client = await connect({ access: { server, ca: { data: ca }, user: { token: "t" } } });
    return { read: () => client.get(Pod, ref) };
  },
  async "client-node"(server) {
    const { CoreV1Api, KubeConfig } = await import("@kubernetes/client-node");
    const config = new KubeConfig();
    config.loadFromOptions({
      clusters: [{ name: "bench", server, caData: Buffer.from(ca).toString("base64") }],
      users: [{ name: "bench", token: "t" }],
      contexts: [{ name: "bench", cluster: "bench", user: "bench" }],
      currentContext: "bench",
    });
    const api = config.makeApiClient(CoreV1Api);
    return { read: () => api.readNamespacedPod(ref) };
  },
};

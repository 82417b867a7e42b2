import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Client, connect } from "pintle/client";
import { startControlPlane } from "../real/index.ts";

export interface WebhookServer {
  readonly kubeconfig: string;
  connect(warned?: (text: string) => void, user?: string): Promise<Client>;
  stop(): Promise<void>;
}

const connecting =
  (kubeconfig: string): WebhookServer["connect"] =>
  (warned = () => {}, user) =>
    connect({ kubeconfig, onWarning: ({ text }) => warned(text), ...(user === undefined ? {} : { impersonate: { user } }) });

/** The same tests run on both. Neither runs a controller that would need a service account. */
export const SERVERS: readonly (readonly [name: string, start: () => Promise<WebhookServer>])[] = [
  [
    "a real kube-apiserver",
    async () => {
      const { kubeconfig, stop } = await startControlPlane({ disableAdmissionPlugins: ["ServiceAccount"] });
      return { kubeconfig, connect: connecting(kubeconfig), stop };
    },
  ],
  [
    "the embedded cluster",
    async () => {
      const { startCluster } = await import("@pintle/cluster");
      const cluster = await startCluster({ http: true, without: true });
      const folder = mkdtempSync(path.join(tmpdir(), "pintle-webhook-"));
      const kubeconfig = path.join(folder, "kubeconfig");
      await cluster.writeKubeconfig(kubeconfig);
      return {
        kubeconfig,
        connect: connecting(kubeconfig),
        async stop() {
          await cluster.stop();
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
  ],
];

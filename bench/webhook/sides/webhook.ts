/** Our side: pods are asked about, with every default. The port and the folder of certificates are given. */
import path from "node:path";
import { start, webhook } from "pintle";
import { clientOver } from "pintle/client";
import { Pod } from "pintle/kinds/core/v1";

const [port, folder = ""] = process.argv.slice(2);
const pods = webhook(Pod, {
  default(pod) {
    pod.metadata.labels = { ...pod.metadata.labels, "example.com/seen": "true" };
    for (const container of pod.spec.containers) container.imagePullPolicy = "IfNotPresent";
  },
  validate: ({ object }) =>
    object.spec.hostNetwork === true ? [{ field: "spec.hostNetwork", reason: "Forbidden", message: "pods stay off the host" }] : [],
});
// Webhooks with certificates from files ask no API server anything.
const client = clientOver({ request: () => Promise.reject(new Error("nobody is asked")), close: async () => {} });
const certificates = { cert: path.join(folder, "tls.crt"), key: path.join(folder, "tls.key") };
const manager = start({ controllers: [], client, webhooks: [pods], webhookServer: { address: `127.0.0.1:${port}`, certificates } });
await manager.ready;
console.log("started");
process.on("SIGTERM", () => void manager.stop().then(() => process.exit()));

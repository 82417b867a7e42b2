/** The webhooks for pods on pintle, with default options. Arguments: the port and the folder with the certificate. */
import path from "node:path";
import { startManager, webhook } from "pintle";
import { createClient } from "pintle/client";
import { Pod } from "pintle/kinds/core/v1";

const [port, folder = ""] = process.argv.slice(2);
const pods = webhook(Pod, {
  default(pod) {
    pod.metadata.labels = { ...pod.metadata.labels, "example.com/defaulted": "true" };
    for (const container of pod.spec.containers) container.imagePullPolicy = "IfNotPresent";
  },
  validate: ({ object }) =>
    object.spec.hostNetwork === true ? [{ field: "spec.hostNetwork", reason: "Forbidden", message: "host networking is not allowed" }] : [],
});
// Webhooks with certificates from files send no requests to an API server.
const client = createClient({ request: () => Promise.reject(new Error("no request is expected")), close: async () => {} });
const certificates = { cert: path.join(folder, "tls.crt"), key: path.join(folder, "tls.key") };
const manager = startManager({ controllers: [], client, webhooks: [pods], webhookServer: { address: `127.0.0.1:${port}`, certificates } });
await manager.ready;
console.log("started");
process.on("SIGTERM", () => void manager.stop().then(() => process.exit()));

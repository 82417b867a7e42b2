import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { pod } from "./pod.ts";

/** Runs in a process of its own, so that neither client pays for the server: one pod, over TLS, as fast as Node can. */
const certificate = (name: string) => readFileSync(new URL(`../../packages/pintle/test/client/certificates/${name}`, import.meta.url));
const body = JSON.stringify(pod("web-5d4f8c7b9-x2x5z"));
let connections = 0;
let requests = 0;
const server = createServer(
  { cert: certificate("server.crt"), key: certificate("server.key"), keepAliveTimeout: 90_000 },
  (_, response) => {
    requests++;
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body);
  },
);
server.on("secureConnection", () => connections++);
process.on("message", () => {
  process.send?.({ connections, requests });
  connections = 0;
  requests = 0;
});
process.on("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));

import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createSamplePod } from "./sample-pod.ts";

/** Runs in a child process, so that its CPU time is not counted for a client: serves one pod over TLS. */
const certificate = (name: string) => readFileSync(new URL(`../../packages/pintle/test/client/certificates/${name}`, import.meta.url));
const body = JSON.stringify(createSamplePod("web-5d4f8c7b9-x2x5z"));
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

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openUrlEndpoint } from "./operator-endpoint.ts";

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const fetchError = async (host: string) => {
  const endpoint = openUrlEndpoint(new URL(`https://${host}`), "token");
  return endpoint.get("/recording", AbortSignal.timeout(10_000)).then(
    () => "an answer",
    (error: Error) => error.message,
  );
};

test("an endpoint without TLS is named with the URL to use instead", async () => {
  const host = await listen(createServer((_, response) => response.end("plain")));
  expect(await fetchError(host)).toBe(`https://${host} answers without TLS: use http://${host}`);
});

test("of a refused TLS handshake only the reason of OpenSSL is shown", async () => {
  // A fatal alert: handshake_failure.
  const host = await listen(
    createTcpServer((socket) => socket.on("error", () => {}).once("data", () => socket.end(Buffer.from("15030300020228", "hex")))),
  );
  expect(await fetchError(host)).toMatch(/^https:\/\/127\.0\.0\.1:\d+ ends the TLS handshake: [a-z0-9/ ]*handshake failure$/);
});

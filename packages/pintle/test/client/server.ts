import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import type { ClusterAccess } from "../../src/client/index.ts";

export const certificate = (name: string) => readFileSync(new URL(`certificates/${name}`, import.meta.url), "utf8");

export type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => unknown;

export interface TestServer extends AsyncDisposable {
  readonly access: ClusterAccess;
  readonly port: number;
  /** TLS connections accepted so far. */
  readonly connections: number;
  readonly requests: readonly IncomingMessage[];
  /** Handles upgrade requests. */
  onUpgrade(handle: (request: IncomingMessage, socket: Duplex) => void): void;
  /** Destroys every connection. */
  cut(): void;
}

/** Starts an HTTPS server on loopback that responds with the given handler. */
export async function testServer(
  handle: Handler,
  options: { readonly name?: string; readonly askForCertificates?: boolean } = {},
): Promise<TestServer> {
  const sockets = new Set<Socket>();
  const requests: IncomingMessage[] = [];
  const { name = "server", askForCertificates = false } = options;
  const server = createServer(
    {
      cert: certificate(`${name}.crt`),
      key: certificate(`${name}.key`),
      ca: certificate("ca.crt"),
      requestCert: askForCertificates,
      rejectUnauthorized: false,
    },
    async (request, response) => {
      requests.push(request);
      const body = await text(request).catch(() => undefined);
      if (body !== undefined) await handle(request, response, body);
    },
  );
  let connections = 0;
  server.on("secureConnection", (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    access: { server: `https://127.0.0.1:${port}`, ca: { data: certificate("ca.crt") } },
    port,
    requests,
    get connections() {
      return connections;
    },
    onUpgrade(take) {
      server.on("upgrade", (request, socket) => take(request, socket));
    },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function sendJson(response: ServerResponse, body: unknown, status = 200, headers: Record<string, string | string[]> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

export function sendStatus(response: ServerResponse, code: number, reason: string, headers: Record<string, string> = {}): void {
  sendJson(response, { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: reason }, code, headers);
}

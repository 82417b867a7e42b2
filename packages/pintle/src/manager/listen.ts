import type { IncomingMessage, ServerResponse } from "node:http";
import type { KeyPair } from "../tls/index.ts";

/** ":8080", "0.0.0.0:8080", "8080"; "0" and "" mean: not at all. */
export interface Address {
  readonly host: string | undefined;
  readonly port: number;
}
export function addressOf(text: string): Address | undefined {
  const at = text.lastIndexOf(":");
  const port = Number(text.slice(at + 1));
  if (text === "" || text === "0") return undefined;
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new TypeError(`${JSON.stringify(text)} is not an address: write ":8080" or "127.0.0.1:8080"`);
  const host = at > 0 ? text.slice(0, at).replace(/^\[(.*)\]$/, "$1") : undefined;
  return { host, port };
}

export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}
export interface Answered {
  readonly status: number;
  readonly body: string;
  readonly type?: string | undefined;
}
/** What is sent for a request; undefined is 404, a throw is 500. */
export type Answer = (request: IncomingMessage, url: URL) => Answered | undefined | Promise<Answered | undefined>;

/** A small HTTP server. */
export async function listen(address: Address, answer: Answer): Promise<Listening> {
  // Loaded here and not above: a test that starts a manager without servers never pays for it.
  const { createServer } = await import("node:http");
  return listening(createServer(responding(answer)), address);
}

/** The same over TLS, with a certificate that can be replaced. */
export async function listenSecurely(
  address: Address,
  pair: KeyPair,
  answer: Answer,
): Promise<Listening & { replace(pair: KeyPair): void }> {
  const { createServer } = await import("node:https");
  const server = createServer(secured(pair), responding(answer));
  return { ...(await listening(server, address)), replace: (next) => server.setSecureContext(secured(next)) };
}

const secured = ({ certificate, key }: KeyPair) => ({ cert: certificate, key, minVersion: "TLSv1.2" }) as const;

function responding(answer: Answer) {
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { status, body, type } = (await answer(request, new URL(request.url ?? "/", "http://localhost"))) ?? {
      status: 404,
      body: "not found\n",
    };
    response.writeHead(status, { "content-type": type ?? "text/plain; charset=utf-8", "x-content-type-options": "nosniff" }).end(body);
  };
  return (request: IncomingMessage, response: ServerResponse) => {
    respond(request, response).catch(() => response.writeHead(500).end("internal server error\n"));
  };
}

async function listening(server: import("node:http").Server | import("node:https").Server, { port, host }: Address): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
  return {
    port: (server.address() as { port: number }).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

import type { IncomingMessage, ServerResponse } from "node:http";
import { PintleError, runInBackground } from "../../errors/index.ts";
import { createRequestGuard, isLoopbackHost } from "../../loopback/index.ts";
import type { CertificateKeyPair } from "../../tls/index.ts";

/** Where a server listens. `host` `undefined`: on all interfaces. */
export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}
/** Parses ":8080", "0.0.0.0:8080" or "8080". Returns `undefined` for "0" and "": no server. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const at = text.lastIndexOf(":");
  const port = Number(text.slice(at + 1));
  if (text === "" || text === "0") return undefined;
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new PintleError("PINTLE4004", `${JSON.stringify(text)} is not an address: write ":8080" or "127.0.0.1:8080"`);
  const host = at > 0 ? text.slice(0, at).replace(/^\[(.*)\]$/, "$1") : undefined;
  return { host, port };
}

/** Returns whether metrics at an address are served only to authorized users: by default everywhere but on loopback addresses. */
export function requiresAuthorization({
  address,
  requireAuthorization,
}: {
  readonly address: string;
  readonly requireAuthorization?: boolean | undefined;
}): boolean {
  const listenAddress = parseListenAddress(address);
  return listenAddress !== undefined && (requireAuthorization ?? !isLoopbackHost(listenAddress.host ?? ""));
}

export interface HttpListener {
  readonly port: number;
  close(): Promise<void>;
}
export interface HttpReply {
  readonly status: number;
  readonly body: string;
  readonly type?: string | undefined;
}
/** Returns the reply to a request; `undefined`: 404. An error is replied with 500. */
export type HttpHandler = (request: IncomingMessage, url: URL) => HttpReply | undefined | Promise<HttpReply | undefined>;

/** Starts an HTTP server. It refuses requests of web pages. */
export async function listenHttp(address: ListenAddress, handler: HttpHandler): Promise<HttpListener> {
  // A dynamic import: a manager without endpoints does not load it.
  const { createServer } = await import("node:http");
  return startListening(createServer(createRequestListener(guardHandler(address, handler))), address);
}

/** Starts an HTTPS server whose certificate can be replaced. */
export async function listenHttps(
  address: ListenAddress,
  pair: CertificateKeyPair,
  handler: HttpHandler,
): Promise<HttpListener & { replace(pair: CertificateKeyPair): void }> {
  const { createServer } = await import("node:https");
  const server = createServer(tlsOptions(pair), createRequestListener(handler));
  return { ...(await startListening(server, address)), replace: (next) => server.setSecureContext(tlsOptions(next)) };
}

const tlsOptions = ({ certificate, key }: CertificateKeyPair) => ({ cert: certificate, key, minVersion: "TLSv1.2" }) as const;

const NOT_FOUND: HttpReply = { status: 404, body: "not found\n" };

function createRequestListener(handler: HttpHandler) {
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { status, body, type } = (await handler(request, new URL(request.url ?? "/", "http://localhost"))) ?? NOT_FOUND;
    response.writeHead(status, { "content-type": type ?? "text/plain; charset=utf-8", "x-content-type-options": "nosniff" }).end(body);
  };
  return (request: IncomingMessage, response: ServerResponse) => {
    runInBackground(respond(request, response), () => response.writeHead(500).end("internal server error\n"));
  };
}

/** Refuses requests that do not come from this machine's programs, if the address is a loopback one, and those of web pages. */
function guardHandler({ host }: ListenAddress, handler: HttpHandler): HttpHandler {
  const checkRequest = createRequestGuard({ host });
  return (request, url) => {
    const refusal = checkRequest(request);
    return refusal === undefined ? handler(request, url) : { status: refusal.status, body: `${refusal.message}\n` };
  };
}

async function startListening(
  server: import("node:http").Server | import("node:https").Server,
  { port, host }: ListenAddress,
): Promise<HttpListener> {
  await new Promise<void>((resolve, reject) => {
    // Stays: an error event without a listener, such as a connection that cannot be accepted, would end the process.
    server.on("error", reject);
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

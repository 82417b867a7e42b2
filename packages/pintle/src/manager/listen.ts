import type { IncomingMessage, ServerResponse } from "node:http";

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

/** A small HTTP server. The answer of `answer` is sent; undefined is 404, a throw is 500. */
export async function listen(
  address: Address,
  answer: (request: IncomingMessage, url: URL) => Answered | undefined | Promise<Answered | undefined>,
): Promise<Listening> {
  // Loaded here and not above: a test that starts a manager without servers never pays for it.
  const { createServer } = await import("node:http");
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { status, body, type } = (await answer(request, new URL(request.url ?? "/", "http://localhost"))) ?? {
      status: 404,
      body: "not found\n",
    };
    response.writeHead(status, { "content-type": type ?? "text/plain; charset=utf-8", "x-content-type-options": "nosniff" }).end(body);
  };
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.writeHead(500).end("internal server error\n"));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(address.port, address.host, () => resolve());
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

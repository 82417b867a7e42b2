import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { PintleError, runInBackground } from "pintle/internal/errors";
import { createRequestGuard } from "pintle/internal/loopback";
import { DEFAULT_PREFIX, PREFIX_HEADER, REPLICATION_PROTOCOL } from "../../store/replication/index.ts";
import { VERSION } from "../generated/etcd-flags.ts";
import type { ObjectHolder } from "./object-holder.ts";

export interface EtcdKeys {
  readonly cert: string;
  readonly key: string;
  /** PEM: the certificate authority of client certificates. Default: none are required. */
  readonly clientCa?: string | undefined;
}

const UNSUPPORTED_MESSAGE =
  "this etcd is the drop-in of @pintle/cluster: it serves only the kube-apiserver of the same package, and no gRPC. Use a real etcd, or both programs of `pintle cluster assets`";
const IN_USE_MESSAGE =
  "another kube-apiserver uses the objects of this etcd: stop it, or start one of the two with another --etcd-prefix or another etcd";
/** How an HTTP/2 connection with prior knowledge starts. */
const HTTP2_PREFACE = "PRI * HTTP/2";
const GRPC_UNIMPLEMENTED = 12;

/** Starts a server at the address of etcd: /version, /health, and the upgrade to the object protocol. */
export async function startEtcdServer(url: URL, holder: ObjectHolder, keys: EtcdKeys | undefined): Promise<Server> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const checkRequest = url.protocol === "https:" ? () => undefined : createRequestGuard({ host });
  const http = createServer((request, response) => {
    const refusal = checkRequest(request);
    if (refusal === undefined) respond(request, response);
    else response.writeHead(refusal.status, { "content-type": "text/plain", connection: "close" }).end(`${refusal.message}\n`);
  });
  http.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const refusal = checkRequest(request);
    if (refusal === undefined) upgradeConnection(holder, request, socket, head);
    else socket.end(formatResponse(refusal.status, refusal.message));
  });
  const accept = (socket: Socket) => {
    socket.on("error", () => {});
    socket.once("data", (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      if (first.toString("latin1", 0, HTTP2_PREFACE.length) === HTTP2_PREFACE) {
        runInBackground(refuseGrpc(socket), () => socket.destroy());
        return;
      }
      http.emit("connection", socket);
      process.nextTick(() => socket.resume());
    });
  };
  const server = url.protocol === "https:" ? await createSecureServer(keys, accept) : createTcpServer(accept);
  return new Promise((resolve, reject) => {
    // Stays: an error event without a listener, such as a connection that cannot be accepted, would end the process.
    server.on("error", reject);
    server.listen(Number(url.port || 2379), host, () => resolve(server));
  });
}

async function createSecureServer(keys: EtcdKeys | undefined, accept: (socket: Socket) => void): Promise<Server> {
  if (keys === undefined)
    throw new PintleError("PINTLE6331", "--listen-client-urls contains an https URL: --cert-file and --key-file are required");
  // Loaded on demand: most runs do not need TLS, and loading it delays the start.
  const { createServer: createTlsServer } = await import("node:tls");
  const { cert, key, clientCa } = keys;
  const clients = clientCa === undefined ? {} : { ca: clientCa, requestCert: true };
  return createTlsServer({ cert, key, ALPNProtocols: ["h2", "http/1.1"], ...clients }, accept);
}

const PAGES: Readonly<Record<string, string>> = {
  // The last field identifies the drop-in.
  "/version": JSON.stringify({ etcdserver: VERSION, etcdcluster: `${VERSION.replace(/\.\d+$/, "")}.0`, pintle: REPLICATION_PROTOCOL }),
  "/health": JSON.stringify({ health: "true", reason: "" }),
  "/livez": "ok\n",
  "/readyz": "ok\n",
};

function respond({ url = "/" }: IncomingMessage, response: ServerResponse): void {
  const page = PAGES[url.split("?")[0] as string];
  const type = page?.startsWith("{") ? "application/json" : "text/plain; charset=utf-8";
  response.writeHead(page === undefined ? 404 : 200, { "content-type": type }).end(page ?? `${UNSUPPORTED_MESSAGE}\n`);
}

function upgradeConnection(holder: ObjectHolder, { headers }: IncomingMessage, socket: Socket, head: Buffer): void {
  if (headers.upgrade !== REPLICATION_PROTOCOL) {
    socket.end(formatResponse(400, `this etcd only supports the upgrade to ${REPLICATION_PROTOCOL}`));
    return;
  }
  const prefix = headers[PREFIX_HEADER] ?? DEFAULT_PREFIX;
  const greeting = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${REPLICATION_PROTOCOL}\r\n\r\n`;
  if (!holder.serve(String(prefix), socket, head, greeting)) socket.end(formatResponse(409, IN_USE_MESSAGE));
}

function formatResponse(status: number, body: string): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}

/** Answers a gRPC client, such as a real kube-apiserver, with the reason why it is refused. */
async function refuseGrpc(socket: Socket): Promise<void> {
  const [{ createServer: createHttp2Server }, { Duplex }] = await Promise.all([import("node:http2"), import("node:stream")]);
  const server = createHttp2Server();
  server.on("sessionError", () => {});
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    const message = encodeURIComponent(UNSUPPORTED_MESSAGE).replaceAll("%20", " ");
    const headers = { ":status": 200, "content-type": "application/grpc", "grpc-status": GRPC_UNIMPLEMENTED, "grpc-message": message };
    stream.respond(headers, { endStream: true });
  });
  // Wrapped: HTTP/2 would read from the handle and miss the bytes that were unshifted.
  server.emit("connection", Duplex.from({ readable: socket, writable: socket }));
}

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { DEFAULT_PREFIX, PREFIX, PROTOCOL } from "../../hold/index.ts";
import { VERSION } from "../generated/etcd-flags.ts";
import type { Holder } from "./holder.ts";

export interface EtcdKeys {
  readonly cert: string;
  readonly key: string;
  /** PEM; whose certificates clients must show. */
  readonly clientAuthority?: string | undefined;
}

const REFUSAL =
  "this etcd is the drop-in of @pintle/cluster: it holds objects for the kube-apiserver beside it, and speaks no gRPC. Put a real etcd there, or take both from `pintle cluster assets`";
const TAKEN =
  "another kube-apiserver works with the objects that this etcd holds: stop it, or give one of the two its own --etcd-prefix or its own etcd";
/** How a connection begins that speaks HTTP/2 without asking. */
const PREFACE = "PRI * HTTP/2";
const UNIMPLEMENTED = 12;

/** Listens where etcd would: /version, /health, and the objects for whoever asks for them in our way. */
export async function serve(url: URL, held: Holder, keys: EtcdKeys | undefined): Promise<Server> {
  const http = createServer(answer);
  http.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => handOver(held, request, socket, head));
  const accept = (socket: Socket) => {
    socket.on("error", () => {});
    socket.once("data", (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      if (first.toString("latin1", 0, PREFACE.length) === PREFACE) {
        void refuse(socket);
        return;
      }
      http.emit("connection", socket);
      process.nextTick(() => socket.resume());
    });
  };
  const server = url.protocol === "https:" ? await secure(keys, accept) : createTcpServer(accept);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(Number(url.port || 2379), url.hostname.replace(/^\[|\]$/g, ""), () => resolve(server));
  });
}

async function secure(keys: EtcdKeys | undefined, accept: (socket: Socket) => void): Promise<Server> {
  if (keys === undefined) throw new Error("--listen-client-urls has an https address: --cert-file and --key-file are needed for it");
  // Few need it, and all would wait for it.
  const { createServer: createTlsServer } = await import("node:tls");
  const { cert, key, clientAuthority } = keys;
  const clients = clientAuthority === undefined ? {} : { ca: clientAuthority, requestCert: true };
  return createTlsServer({ cert, key, ALPNProtocols: ["h2", "http/1.1"], ...clients }, accept);
}

const PAGES: Readonly<Record<string, string>> = {
  // The last field is the mark.
  "/version": JSON.stringify({ etcdserver: VERSION, etcdcluster: `${VERSION.replace(/\.\d+$/, "")}.0`, pintle: PROTOCOL }),
  "/health": JSON.stringify({ health: "true", reason: "" }),
  "/livez": "ok\n",
  "/readyz": "ok\n",
};

function answer({ url = "/" }: IncomingMessage, response: ServerResponse): void {
  const page = PAGES[url.split("?")[0] as string];
  const type = page?.startsWith("{") ? "application/json" : "text/plain; charset=utf-8";
  response.writeHead(page === undefined ? 404 : 200, { "content-type": type }).end(page ?? `${REFUSAL}\n`);
}

function handOver(held: Holder, { headers }: IncomingMessage, socket: Socket, head: Buffer): void {
  if (headers.upgrade !== PROTOCOL) {
    socket.end(text(400, "Bad Request", `this etcd can become ${PROTOCOL}, and nothing else`));
    return;
  }
  const prefix = headers[PREFIX] ?? DEFAULT_PREFIX;
  const yes = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${PROTOCOL}\r\n\r\n`;
  if (!held.serve(String(prefix), socket, head, yes)) socket.end(text(409, "Conflict", TAKEN));
}

function text(status: number, reason: string, body: string): string {
  return `HTTP/1.1 ${status} ${reason}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}

/** A real kube-apiserver, or another client of etcd: it is told why it gets nothing. */
async function refuse(socket: Socket): Promise<void> {
  const [{ createServer: createHttp2Server }, { Duplex }] = await Promise.all([import("node:http2"), import("node:stream")]);
  const server = createHttp2Server();
  server.on("sessionError", () => {});
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    const message = encodeURIComponent(REFUSAL).replaceAll("%20", " ");
    const headers = { ":status": 200, "content-type": "application/grpc", "grpc-status": UNIMPLEMENTED, "grpc-message": message };
    stream.respond(headers, { endStream: true });
  });
  // Around the socket: HTTP/2 would read past what was given back to it.
  server.emit("connection", Duplex.from({ readable: socket, writable: socket }));
}

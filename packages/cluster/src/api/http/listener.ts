import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { ApiError, internalError } from "../../status/index.ts";
import type { KeyPair } from "../../tls/index.ts";
import type { ApiRequest, RequestBody } from "../request.ts";
import { type ApiServer, failure } from "../server.ts";
import { ANONYMOUS, type UserInfo } from "../user.ts";
import { authenticate, type Certified, certifiedUser, type TokenAuthenticator } from "./authenticate.ts";
import { readBody } from "./body.ts";
import { headersOf } from "./headers.ts";
import { type Response, respond } from "./respond.ts";
import { parseUrl } from "./url.ts";

type Request = IncomingMessage | Http2ServerRequest;

export interface Listener {
  readonly port: number;
  /** No new connections, and an end to those there are. */
  close(): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly tokens: TokenAuthenticator;
}

/** HTTPS for everybody: HTTP/2 or HTTP/1.1, by client certificate, token, or anonymously. */
export function listenSecurely(api: ApiServer, options: ListenOptions & { readonly keys: KeyPair; readonly clientAuthority: string }) {
  const server = createSecureServer({
    allowHTTP1: true,
    cert: options.keys.certificate,
    key: options.keys.key,
    ca: options.clientAuthority,
    requestCert: true,
    rejectUnauthorized: false,
    // Room for many long answers over one connection; nghttp2 would refuse new streams otherwise.
    maxSessionMemory: 1024,
    settings: { initialWindowSize: 1024 * 1024 },
  });
  const users = new WeakMap<object, Certified>();
  const certified = (request: Request): Certified => {
    const connection: object = "stream" in request ? (request.stream.session as ServerHttp2Session) : request.socket;
    if (!users.has(connection)) users.set(connection, certifiedUser(request.socket as TLSSocket));
    return users.get(connection);
  };
  server.on("request", (request: Http2ServerRequest, response: Http2ServerResponse) => {
    void serve(api, request, response as unknown as Response, () =>
      authenticate(certified(request), request.headers.authorization, options.tokens),
    );
  });
  server.on("sessionError", () => {});
  return listening(server, "secureConnection", options);
}

/** Plain HTTP, for loopback only: whoever reaches it without a token is `user`. */
export function listenPlainly(api: ApiServer, options: ListenOptions & { readonly user: UserInfo }) {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    void serve(api, request, response as unknown as Response, () =>
      authenticate(undefined, request.headers.authorization, options.tokens).then((user) => (user === ANONYMOUS ? options.user : user)),
    );
  });
  return listening(server, "connection", options);
}

function listening(server: Server, connection: "connection" | "secureConnection", { host, port }: ListenOptions): Promise<Listener> {
  const sockets = new Set<Socket>();
  server.on(connection, (socket: Socket) => {
    socket.setNoDelay(true);
    socket.on("error", () => {});
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("clientError", (_error: Error, socket: Socket) => socket.destroy());
  server.on("tlsClientError", (_error: Error, socket: Socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve({
        port: (server.address() as AddressInfo).port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            for (const socket of sockets) socket.destroy();
          }),
      });
    });
  });
}

/** Made once: an error for every answered request would cost more than most requests. */
const GONE = new Error("the client went away");

/** One exchange. Whatever happens, the client gets an answer and the process lives. */
async function serve(api: ApiServer, incoming: Request, response: Response, who: () => Promise<UserInfo>): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort(GONE));
  response.on("error", () => gone.abort(GONE));
  const headers = headersOf(incoming);
  const { path, query } = parseUrl(incoming.url ?? "/");
  const base: ApiRequest = {
    method: incoming.method ?? "GET",
    path,
    query,
    headers,
    user: ANONYMOUS,
    body: undefined,
    signal: gone.signal,
  };
  try {
    const body = await bodyOf(incoming);
    const request = { ...base, user: await who(), body };
    await respond(request, response, await api.handle(request));
  } catch (error) {
    if (gone.signal.aborted) return;
    const answer = failure(base, error instanceof ApiError ? error : internalError(String(error)));
    if (response.headersSent) response.destroy();
    else await respond(base, response, answer).catch(() => response.destroy());
  }
}

async function bodyOf(incoming: Request): Promise<RequestBody | undefined> {
  if (incoming.method === "GET" || incoming.method === "HEAD") {
    incoming.resume();
    return undefined;
  }
  const bytes = await readBody(incoming);
  return bytes.length === 0 ? undefined : { bytes };
}

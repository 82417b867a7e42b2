import { createServer, type IncomingMessage, ServerResponse } from "node:http";
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { ApiError, internalError } from "../../status/index.ts";
import type { KeyPair } from "../../tls/index.ts";
import type { ApiAnswer, ApiRequest, RequestBody, WatchStream } from "../request.ts";
import { type ApiServer, failure } from "../server.ts";
import { ANONYMOUS, type UserInfo } from "../user.ts";
import { authenticate, type Certified, certifiedUser, type TokenAuthenticator } from "./authenticate.ts";
import { readBody } from "./body.ts";
import { headersOf } from "./headers.ts";
import { type Response, respond } from "./respond.ts";
import { isReadable, parseUrl } from "./url.ts";
import { bearerOf } from "./web-socket/bearer.ts";
import { isWebSocket, watchSocket } from "./web-socket/watch-socket.ts";

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

/** Long selectors come in the request line, and kube-apiserver takes as much. */
const MAX_HEADER = 1024 * 1024;

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
    settings: { initialWindowSize: 1024 * 1024, maxHeaderListSize: MAX_HEADER },
  });
  // Over HTTP/1.1 Node goes by the server's property, and has no option that sets it.
  Object.assign(server, { maxHeaderSize: MAX_HEADER });
  const users = new WeakMap<object, Certified>();
  const certified = (request: Request): Certified => {
    const connection: object = "stream" in request ? (request.stream.session as ServerHttp2Session) : request.socket;
    if (!users.has(connection)) users.set(connection, certifiedUser(request.socket as TLSSocket));
    return users.get(connection);
  };
  const who = (request: Request) => () => authenticate(certified(request), authorizationOf(request), options.tokens);
  server.on("request", (request: Http2ServerRequest, response: Http2ServerResponse) => {
    void serve(api, request, response as unknown as Response, who(request));
  });
  server.on("upgrade", (request: IncomingMessage, socket: Socket) => upgrade(api, request, socket, who(request)));
  server.on("sessionError", () => {});
  return listening(server, "secureConnection", options);
}

/** Plain HTTP, for loopback only: whoever reaches it without a token is `user`. */
export function listenPlainly(api: ApiServer, options: ListenOptions & { readonly user: UserInfo }) {
  const who = (request: IncomingMessage) => () =>
    authenticate(undefined, authorizationOf(request), options.tokens).then((user) => (user === ANONYMOUS ? options.user : user));
  const server = createServer({ maxHeaderSize: MAX_HEADER }, (request: IncomingMessage, response: ServerResponse) => {
    void serve(api, request, response as unknown as Response, who(request));
  });
  server.on("upgrade", (request: IncomingMessage, socket: Socket) => upgrade(api, request, socket, who(request)));
  return listening(server, "connection", options);
}

function authorizationOf({ headers }: Request): string | undefined {
  return headers.authorization ?? bearerOf(headers["sec-websocket-protocol"]);
}

/** A request that would become something else, which only a watch can: anything else is answered as usual, once. */
function upgrade(api: ApiServer, request: IncomingMessage, socket: Socket, who: () => Promise<UserInfo>): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => socket.end());
  const watch = isWebSocket(request)
    ? (stream: WatchStream) => {
        response.detachSocket(socket);
        return watchSocket(stream, request, socket);
      }
    : undefined;
  void serve(api, request, response as unknown as Response, who, watch);
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

const UNREADABLE: ApiAnswer = {
  status: 400,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: { type: "bytes", bytes: Buffer.from("400 Bad Request") },
};

/** One exchange. Whatever happens, the client gets an answer and the process lives. */
async function serve(
  api: ApiServer,
  incoming: Request,
  response: Response,
  who: () => Promise<UserInfo>,
  watch?: (stream: WatchStream) => Promise<void>,
): Promise<void> {
  const gone = departure(response);
  const headers = headersOf(incoming);
  const { path, query } = parseUrl(incoming.url ?? "/");
  const base = { method: incoming.method ?? "GET", path, query, headers };
  try {
    if (!isReadable(path)) return await respond(base, response, UNREADABLE);
    const body = await bodyOf(incoming);
    const user = await who();
    const request: ApiRequest = {
      ...base,
      user,
      body,
      get signal() {
        return gone.signal();
      },
    };
    const answer = await api.handle(request);
    if (watch !== undefined && answer.body.type === "watch") await watch(answer.body.stream);
    else await respond(request, response, answer);
  } catch (error) {
    if (gone.happened()) return;
    const answer = failure(base, error instanceof ApiError ? error : internalError(String(error)));
    if (response.headersSent) response.destroy();
    else await respond(base, response, answer).catch(() => response.destroy());
  }
}

/** When the client leaves, or has its answer. Few requests wait for that: a signal is made for those only. */
function departure(response: Response): { happened(): boolean; signal(): AbortSignal } {
  let left = false;
  let controller: AbortController | undefined;
  const leave = () => {
    left = true;
    controller?.abort(GONE);
  };
  response.once("close", leave);
  response.on("error", leave);
  return {
    happened: () => left,
    signal() {
      controller ??= new AbortController();
      if (left) controller.abort(GONE);
      return controller.signal;
    },
  };
}

async function bodyOf(incoming: Request): Promise<RequestBody | undefined> {
  if (incoming.method === "GET" || incoming.method === "HEAD") {
    incoming.resume();
    return undefined;
  }
  const bytes = await readBody(incoming);
  return bytes.length === 0 ? undefined : { bytes };
}

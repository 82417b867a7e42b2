import { createServer, type IncomingMessage, ServerResponse } from "node:http";
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { ApiError, internalError } from "../../status/index.ts";
import type { KeyPair } from "../../tls/index.ts";
import type { ApiAnswer, ApiRequest, RequestBody } from "../request.ts";
import { type ApiServer, failure } from "../server.ts";
import { ANONYMOUS, type UserInfo } from "../user.ts";
import { authenticate, type Certified, certifiedUser, type TokenAuthenticator } from "./authenticate.ts";
import { readBody } from "./body.ts";
import { headersOf } from "./headers.ts";
import { type Response, respond } from "./respond.ts";
import { takeover } from "./takeover.ts";
import { isReadable, parseUrl } from "./url.ts";
import { bearerOf } from "./web-socket/bearer.ts";

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
  /** Whether those who show nothing are served, as nobody in particular. Default: yes. */
  readonly anonymous?: boolean | undefined;
}

/** Long selectors come in the request line, and kube-apiserver takes as much. */
const MAX_HEADER = 1024 * 1024;

/** HTTPS for everybody: HTTP/2 or HTTP/1.1, by client certificate, token, or anonymously. */
export function listenSecurely(
  api: Pick<ApiServer, "handle">,
  options: ListenOptions & {
    readonly keys: KeyPair;
    /** PEM; undefined: nobody is known by a certificate. */
    readonly clientAuthority: string | undefined;
  },
) {
  const server = createSecureServer({
    allowHTTP1: true,
    cert: options.keys.certificate,
    key: options.keys.key,
    ...(options.clientAuthority === undefined ? {} : { ca: options.clientAuthority, requestCert: true }),
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
  const who = (request: Request) => async () => {
    const user = await authenticate(certified(request), authorizationOf(request), options.tokens);
    if (user === ANONYMOUS && options.anonymous === false) throw new ApiError(401, "Unauthorized", "Unauthorized");
    return user;
  };
  server.on("request", (request: Http2ServerRequest, response: Http2ServerResponse) => {
    void serve(api, request, response as unknown as Response, who(request));
  });
  server.on("upgrade", (request: IncomingMessage, socket: Socket, first: Buffer) => upgrade(api, request, socket, first, who(request)));
  server.on("sessionError", () => {});
  return listening(server, "secureConnection", options);
}

/** Plain HTTP, for loopback only: whoever reaches it without a token is `user`. */
export function listenPlainly(api: Pick<ApiServer, "handle">, options: ListenOptions & { readonly user: UserInfo }) {
  const who = (request: IncomingMessage) => () =>
    authenticate(undefined, authorizationOf(request), options.tokens).then((user) => (user === ANONYMOUS ? options.user : user));
  const server = createServer({ maxHeaderSize: MAX_HEADER }, (request: IncomingMessage, response: ServerResponse) => {
    void serve(api, request, response as unknown as Response, who(request));
  });
  server.on("upgrade", (request: IncomingMessage, socket: Socket, first: Buffer) => upgrade(api, request, socket, first, who(request)));
  return listening(server, "connection", options);
}

function authorizationOf({ headers }: Request): string | undefined {
  return headers.authorization ?? bearerOf(headers["sec-websocket-protocol"]);
}

/** A request that would become something else: where the answer is nothing to go on with, it is given as usual, once. */
function upgrade(
  api: Pick<ApiServer, "handle">,
  request: IncomingMessage,
  socket: Socket,
  first: Buffer,
  who: () => Promise<UserInfo>,
): void {
  if (first.length > 0) socket.unshift(first);
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => socket.end());
  const take = () => {
    response.detachSocket(socket);
    return socket;
  };
  void serve(api, request, response as unknown as Response, who, (answer) => takeover(answer, request, take));
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
  api: Pick<ApiServer, "handle">,
  incoming: Request,
  response: Response,
  who: () => Promise<UserInfo>,
  takes?: (answer: ApiAnswer) => Promise<void> | undefined,
): Promise<void> {
  const gone = departure(response);
  const headers = headersOf(incoming);
  const { path, query } = parseUrl(incoming.url ?? "/");
  const base = { method: incoming.method ?? "GET", path, query, headers };
  try {
    if (!isReadable(path)) return await respond(base, response, UNREADABLE);
    // What follows a request to upgrade is no body of it.
    const body = takes === undefined ? await bodyOf(incoming) : undefined;
    const user = await who();
    const request: ApiRequest = { user, body, signal: gone.signal, ...base };
    const answer = await api.handle(request);
    await (takes?.(answer) ?? respond(request, response, answer));
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

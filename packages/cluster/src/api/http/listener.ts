import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, ServerResponse, STATUS_CODES } from "node:http";
import { createSecureServer, type Http2ServerResponse, constants as http2Codes, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { STATUS_REASONS } from "pintle/client";
import { backgroundClock } from "pintle/internal/clock";
import { runInBackground } from "pintle/internal/errors";
import { createRequestGuard, type RequestRefusal } from "pintle/internal/loopback";
import type { CertificateKeyPair } from "pintle/tls";
import { ApiError } from "../../status/index.ts";
import { StartQueue } from "../../turns/index.ts";
import { Deadlines } from "../deadlines.ts";
import { type ApiResponse, getHeader, type HttpHeaders } from "../request/api-request.ts";
import { ANONYMOUS, type UserInfo } from "../request/user.ts";
import type { ApiServer } from "../server.ts";
import { authenticateCredentials, type CertificateUser, getCertificateUser, type TokenAuthenticator } from "./authenticate.ts";
import { trackConnections } from "./connections.ts";
import { DEFAULT_HTTP_LIMITS, type HttpLimits, MAX_HEADER_BYTES, MAX_SESSION_MEGABYTES, STREAM_WINDOW_BYTES } from "./limits.ts";
import { type HttpRequest, type ServeOptions, serveRequest } from "./serve-request.ts";
import { type UnreadResponse, UnreadResponses } from "./unread-responses.ts";
import { createMessageChannel, isWebSocketUpgrade, readBearerProtocol, serveWatchOverWebSocket } from "./web-socket/index.ts";
import type { HttpResponse } from "./write-response.ts";

/** A server that listens. */
export interface Listener {
  /** The port that it listens on. */
  readonly port: number;
  /** Stops listening and closes all connections. */
  close(): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly tokens: TokenAuthenticator;
  /** Whether requests without credentials are served as the anonymous user. Default: true. */
  readonly anonymous?: boolean | undefined;
  readonly limits?: Partial<HttpLimits> | undefined;
}

/** Listens on HTTPS: HTTP/2 or HTTP/1.1, with a client certificate, a token, or anonymously. */
export function listenHttps(
  api: Pick<ApiServer, "handle">,
  options: ListenOptions & {
    readonly keys: CertificateKeyPair;
    /** PEM; undefined: client certificates are not accepted. */
    readonly clientAuthority: string | undefined;
  },
) {
  const limits = { ...DEFAULT_HTTP_LIMITS, ...options.limits };
  const server = createSecureServer({
    allowHTTP1: true,
    cert: options.keys.certificate,
    key: options.keys.key,
    ...(options.clientAuthority === undefined ? {} : { ca: options.clientAuthority, requestCert: true }),
    rejectUnauthorized: false,
    handshakeTimeout: limits.handshakeTimeout,
    maxSessionMemory: MAX_SESSION_MEGABYTES,
    settings: {
      initialWindowSize: STREAM_WINDOW_BYTES,
      maxConcurrentStreams: limits.maxConcurrentStreams,
      maxHeaderListSize: MAX_HEADER_BYTES,
    },
  });
  // For HTTP/1.1 Node reads these properties of the server, and has no options that set them.
  Object.assign(server, { maxHeaderSize: MAX_HEADER_BYTES, ...getHttp1Timeouts(limits) });
  const users = new WeakMap<object, CertificateUser>();
  const getCachedUser = (request: HttpRequest): CertificateUser => {
    const connection = getConnection(request);
    if (!users.has(connection)) users.set(connection, getCertificateUser(request.socket as TLSSocket));
    return users.get(connection);
  };
  const resolveUser = (request: HttpRequest) => async () => {
    const user = await authenticateCredentials(getCachedUser(request), getAuthorization(request), options.tokens);
    if (user === ANONYMOUS && options.anonymous === false) throw new ApiError(401, "Unauthorized", "Unauthorized");
    return user;
  };
  return startListening(server, { selectApi: () => api, secure: true, limits, resolveUser }, options);
}

/** Listens on plain HTTP, for loopback only: requests without a token are made as `user`. Requests of web pages are refused. */
export function listenHttp(api: Pick<ApiServer, "handle">, options: ListenOptions & { readonly user: UserInfo }) {
  const limits = { ...DEFAULT_HTTP_LIMITS, ...options.limits };
  // Backends behind the proxy subresources accept forms; the API itself refuses their content types.
  const checkRequest = createRequestGuard({ host: options.host, allowFormTypes: true });
  const selectApi = (request: HttpRequest) => refuseRequest(checkRequest(request)) ?? api;
  const resolveUser = (request: HttpRequest) => () =>
    authenticateCredentials(undefined, getAuthorization(request), options.tokens).then((user) =>
      user === ANONYMOUS ? options.user : user,
    );
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: 0, ...getHttp1Timeouts(limits) });
  return startListening(server, { selectApi, secure: false, limits, resolveUser }, options);
}

/** Returns an API that refuses every request; undefined without a reason to. */
function refuseRequest(refusal: RequestRefusal | undefined): Pick<ApiServer, "handle"> | undefined {
  if (refusal === undefined) return undefined;
  const { status, message } = refusal;
  const error = new ApiError(status, STATUS_REASONS[status]!, message);
  return { handle: () => Promise.reject(error) };
}

function getAuthorization({ headers }: HttpRequest): string | undefined {
  return headers.authorization ?? readBearerProtocol(headers["sec-websocket-protocol"]);
}

/** The bodies of requests have deadlines of their own. */
function getHttp1Timeouts({ headerTimeout }: HttpLimits) {
  return { headersTimeout: headerTimeout, requestTimeout: 0, connectionsCheckingInterval: Math.min(headerTimeout / 4, 5000) };
}

/** The session of HTTP/2, or the socket of HTTP/1.1. */
function getConnection(request: HttpRequest): object {
  return "stream" in request ? (request.stream.session as ServerHttp2Session) : request.socket;
}

interface ListenerParts {
  selectApi(request: HttpRequest): Pick<ApiServer, "handle">;
  readonly secure: boolean;
  readonly limits: HttpLimits;
  resolveUser(request: HttpRequest): () => Promise<UserInfo>;
}

function startListening(server: Server, parts: ListenerParts, { host, port }: ListenOptions): Promise<Listener> {
  const { secure, limits } = parts;
  const connections = trackConnections(server, secure, limits);
  const deadlines = new Deadlines<UnreadResponse>(backgroundClock);
  const unreadResponses = new UnreadResponses(deadlines);
  const starts = new StartQueue<object>();
  const getWriteDeadline = () => backgroundClock.monotonic() + limits.requestTimeout;
  const serve = (request: HttpRequest, response: HttpResponse, upgradeConnection?: ServeOptions["upgradeConnection"]) => {
    const connection = getConnection(request);
    const end = connections.beginRequest(connection);
    let isClosed = false;
    response.once("close", () => {
      isClosed = true;
      end();
    });
    const resolveUser = parts.resolveUser(request);
    const api = parts.selectApi(request);
    const options = { api, resolveUser, connection, deadlines, unreadResponses, getWriteDeadline, upgradeConnection };
    starts.start(
      connection,
      () => {
        if (isClosed) return;
        // Whatever fails ends this connection only.
        runInBackground(serveRequest(request, response, options), () => response.destroy());
      },
      () => refuseStream(response),
    );
  };
  server.on("request", (request: HttpRequest, response: Http2ServerResponse | ServerResponse) =>
    serve(request, response as unknown as HttpResponse),
  );
  server.on("upgrade", (request: IncomingMessage, socket: Socket, first: Buffer) => serveUpgrade(request, socket, first, serve));
  server.on("sessionError", () => {});
  server.on("clientError", (_error: Error, socket: Socket) => socket.destroy());
  server.on("tlsClientError", (_error: Error, socket: Socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      // A connection that cannot be accepted, for want of file descriptors for example, must not end the process.
      server.off("error", reject).on("error", () => {});
      resolve({
        port: (server.address() as AddressInfo).port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            connections.closeAll();
          }),
      });
    });
  });
}

/** Tells the client that nothing was executed, so that it may send the request again. */
function refuseStream(response: HttpResponse): void {
  if (response.stream === undefined) response.destroy();
  else response.stream.close(http2Codes.NGHTTP2_REFUSED_STREAM);
}

/** Serves an upgrade request: the connection goes to the response if it is a stream; other responses are sent as usual, and the connection ends. */
function serveUpgrade(
  request: IncomingMessage,
  socket: Socket,
  first: Buffer,
  serve: (request: HttpRequest, response: HttpResponse, upgradeConnection: ServeOptions["upgradeConnection"]) => void,
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
  serve(request, response as unknown as HttpResponse, (apiResponse) => upgradeToResponse(apiResponse, request, take));
}

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Hands the connection of an upgrade request to its response; undefined for a response that is no stream. */
function upgradeToResponse(
  { body, status, headers }: ApiResponse,
  request: IncomingMessage,
  take: () => Duplex,
): Promise<void> | undefined {
  switch (body.type) {
    case "watch":
      return isWebSocketUpgrade(request) ? serveWatchOverWebSocket(body.stream, request, take()) : undefined;
    case "messages": {
      const socket = take();
      const accept = createHash("sha1")
        .update((request.headers["sec-websocket-key"] ?? "") + GUID)
        .digest("base64");
      socket.write(encodeHead(status, { upgrade: "websocket", connection: "Upgrade", ...headers, "sec-websocket-accept": accept }));
      return body.serve(createMessageChannel(socket, getHeader(headers, "sec-websocket-protocol") ?? ""));
    }
    case "wire": {
      const socket = take();
      socket.write(encodeHead(status, headers));
      return body.serve(socket);
    }
    default:
      return undefined;
  }
}

function encodeHead(status: number, headers: HttpHeaders): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((each) => `${name}: ${each}`));
  return `${[`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines].join("\r\n")}\r\n\r\n`;
}

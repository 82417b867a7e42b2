import type { IncomingMessage } from "node:http";
import { constants, type Http2ServerRequest } from "node:http2";
import { ApiError, internalError } from "../../status/index.ts";
import type { Deadlines } from "../deadlines.ts";
import type { ApiRequest, ApiResponse, RequestBody, WriteListeners } from "../request/api-request.ts";
import { TooManyRequestsError } from "../request/flow-control.ts";
import type { UserInfo } from "../request/user.ts";
import { type ApiServer, buildErrorResponse, buildTooManyRequestsResponse } from "../server.ts";
import { discardRequestBody, isWellFormedPath, parseRequestTarget, readHeaders, readRequestBody } from "./read-request.ts";
import type { UnreadResponse, UnreadResponses } from "./unread-responses.ts";
import { abortResponse, type HttpResponse, type ResponseProgress, writeResponse } from "./write-response.ts";

export type HttpRequest = IncomingMessage | Http2ServerRequest;

export interface ServeOptions {
  readonly api: Pick<ApiServer, "handle">;
  /** Finds out the user from the credentials of the connection. Throws 401. */
  resolveUser(): Promise<UserInfo>;
  /** The session of HTTP/2, or the socket of HTTP/1.1. */
  readonly connection: object;
  /** For writing responses that are no streams. */
  readonly deadlines: Deadlines<UnreadResponse>;
  readonly unreadResponses: UnreadResponses;
  /** Returns when a response must be written that starts now. */
  getWriteDeadline(): number;
  /** Hands the connection of an upgrade request to its response; undefined for a response that is no stream. */
  readonly upgradeConnection?: ((apiResponse: ApiResponse) => Promise<void> | undefined) | undefined;
}

/** One shared error: creating one per request would cost more than most requests. */
const CLIENT_DISCONNECTED = new Error("the client disconnected");

const MALFORMED_PATH_RESPONSE: ApiResponse = {
  status: 400,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: { type: "bytes", bytes: Buffer.from("400 Bad Request") },
};

/** Serves one request. Every error becomes a response or closes the connection. */
export async function serveRequest(incoming: HttpRequest, response: HttpResponse, options: ServeOptions): Promise<void> {
  const { api, resolveUser, getWriteDeadline, upgradeConnection } = options;
  const completion = new Completion(response, options);
  const headers = readHeaders(incoming);
  const { path, query } = parseRequestTarget(incoming.url ?? "/");
  const base = { method: incoming.method ?? "GET", path, query, headers };
  // Bytes after an upgrade request are not its body.
  const bodyComes = upgradeConnection === undefined && hasBody(incoming);
  if (!bodyComes) incoming.resume();
  const write = (apiResponse: ApiResponse) => {
    if (bodyComes) discardRequestBody(incoming, () => closeRequest(incoming));
    if (!STREAM_BODIES.has(apiResponse.body.type)) completion.expectBy(getWriteDeadline());
    return writeResponse(base, response, apiResponse, completion);
  };
  try {
    if (!isWellFormedPath(path)) return await write(MALFORMED_PATH_RESPONSE);
    const body = bodyComes && !READ_METHODS.has(base.method) ? createBodyReader(incoming) : undefined;
    const remoteAddress = () => incoming.socket.remoteAddress;
    const request: ApiRequest = { user: resolveUser, body, target: incoming.url, remoteAddress, ...completion.hooks(), ...base };
    const apiResponse = await api.handle(request);
    await (upgradeConnection?.(apiResponse) ?? write(apiResponse));
  } catch (error) {
    if (completion.happened) return;
    if (response.headersSent) abortResponse(response);
    else await write(buildFailureResponse(base, error)).catch(() => abortResponse(response));
  }
}

function buildFailureResponse(request: Pick<ApiRequest, "headers">, error: unknown): ApiResponse {
  if (error instanceof TooManyRequestsError) return buildTooManyRequestsResponse(error);
  return buildErrorResponse(request, error instanceof ApiError ? error : internalError(String(error)));
}

/** Bodies that may take any time. */
const STREAM_BODIES: ReadonlySet<ApiResponse["body"]["type"]> = new Set(["watch", "stream"]);

/**
 * The end of a request: its response is written, or the client disconnected. A class, so that all requests share one hidden class. The
 * abort signal is created only for requests that need it.
 */
class Completion implements UnreadResponse, ResponseProgress {
  happened = false;
  index = -1;
  expiresAt = Number.POSITIVE_INFINITY;
  unreadBytes = 0;
  isLarge = false;
  readonly connection: object;
  readonly #response: HttpResponse;
  readonly #deadlines: Deadlines<UnreadResponse>;
  readonly #unreadResponses: UnreadResponses;
  #controller: AbortController | undefined;
  #isWritten = false;
  #listeners: WriteListeners[] | undefined;

  constructor(response: HttpResponse, { connection, deadlines, unreadResponses }: ServeOptions) {
    this.connection = connection;
    this.#response = response;
    this.#deadlines = deadlines;
    this.#unreadResponses = unreadResponses;
    const finish = () => this.#finish();
    response.once("close", finish);
    response.on("error", finish);
  }

  /** Disconnects a client that has not read the response by then. */
  expectBy(expiresAt: number): void {
    if (this.happened || this.index !== -1) return;
    this.expiresAt = expiresAt;
    this.#deadlines.add(this);
  }

  expire(): void {
    this.abort();
  }

  abort(): void {
    abortResponse(this.#response);
  }

  written(bytes: number): void {
    if (this.happened) return;
    this.#unreadResponses.add(this, bytes);
    this.#notifyWritten();
  }

  writtenInPieces(bytes: number): void {
    if (this.happened) return;
    if (this.#unreadResponses.addLarge(this, bytes)) this.#notifyWritten();
    else this.becomesLong();
  }

  becomesLong(): void {
    for (const listener of this.#listeners ?? []) listener.becomesLong();
  }

  hooks(): Pick<ApiRequest, "signal" | "onWritten"> {
    return {
      signal: () => {
        this.#controller ??= new AbortController();
        if (this.happened) this.#controller.abort(CLIENT_DISCONNECTED);
        return this.#controller.signal;
      },
      onWritten: (listeners) => {
        if (this.#isWritten) listeners.written();
        else if (this.#listeners === undefined) this.#listeners = [listeners];
        else this.#listeners.push(listeners);
      },
    };
  }

  #notifyWritten(): void {
    if (this.#isWritten) return;
    this.#isWritten = true;
    for (const listener of this.#listeners ?? []) listener.written();
  }

  #finish(): void {
    if (this.happened) return;
    this.happened = true;
    this.#unreadResponses.delete(this);
    if (this.index !== -1) this.#deadlines.delete(this);
    this.#controller?.abort(CLIENT_DISCONNECTED);
    this.#notifyWritten();
  }
}

const READ_METHODS = new Set(["GET", "HEAD"]);

function hasBody(incoming: HttpRequest): boolean {
  if ("stream" in incoming) return !incoming.stream.endAfterHeaders;
  const { "content-length": length, "transfer-encoding": encoding } = incoming.headers;
  return encoding !== undefined || (length !== undefined && length !== "0");
}

/** Reads the body on the first call. */
function createBodyReader(incoming: HttpRequest): () => Promise<RequestBody | undefined> {
  let reading: Promise<RequestBody | undefined> | undefined;
  return () => {
    reading ??= readRequestBody(incoming).then((bytes) => (bytes.length === 0 ? undefined : { bytes }));
    return reading;
  };
}

/** Ends a request whose body is not wanted: its stream, or its connection. */
function closeRequest(incoming: HttpRequest): void {
  if ("stream" in incoming) incoming.stream.close(constants.NGHTTP2_NO_ERROR);
  else incoming.socket.destroy();
}

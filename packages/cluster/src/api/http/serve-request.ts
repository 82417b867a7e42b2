import type { IncomingMessage } from "node:http";
import { constants, type Http2ServerRequest } from "node:http2";
import { ApiError, internalError } from "../../status/index.ts";
import type { DeadlineEntry, Deadlines } from "../deadlines.ts";
import type { ApiRequest, ApiResponse, RequestBody } from "../request/api-request.ts";
import type { UserInfo } from "../request/user.ts";
import { type ApiServer, buildErrorResponse } from "../server.ts";
import { discardRequestBody, isWellFormedPath, parseRequestTarget, readHeaders, readRequestBody } from "./read-request.ts";
import { abortResponse, type HttpResponse, writeResponse } from "./write-response.ts";

export type HttpRequest = IncomingMessage | Http2ServerRequest;

export interface ServeOptions {
  readonly api: Pick<ApiServer, "handle">;
  /** Finds out the user from the credentials of the connection. Throws 401. */
  resolveUser(): Promise<UserInfo>;
  /** For writing responses that are no streams. */
  readonly deadlines: Deadlines<DeadlineEntry>;
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
  const { api, resolveUser, deadlines, getWriteDeadline, upgradeConnection } = options;
  const completion = new Completion(response, deadlines);
  const headers = readHeaders(incoming);
  const { path, query } = parseRequestTarget(incoming.url ?? "/");
  const base = { method: incoming.method ?? "GET", path, query, headers };
  // Bytes after an upgrade request are not its body.
  const bodyComes = upgradeConnection === undefined && hasBody(incoming);
  if (!bodyComes) incoming.resume();
  const write = (apiResponse: ApiResponse) => {
    if (bodyComes) discardRequestBody(incoming, () => closeRequest(incoming));
    if (!STREAM_BODIES.has(apiResponse.body.type)) completion.expectBy(getWriteDeadline());
    return writeResponse(base, response, apiResponse);
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
    const apiResponse = buildErrorResponse(base, error instanceof ApiError ? error : internalError(String(error)));
    if (response.headersSent) abortResponse(response);
    else await write(apiResponse).catch(() => abortResponse(response));
  }
}

/** Bodies that may take any time. */
const STREAM_BODIES: ReadonlySet<ApiResponse["body"]["type"]> = new Set(["watch", "stream"]);

/**
 * The end of a request: its response is written, or the client disconnected. A class, so that all requests share one hidden class. The
 * abort signal is created only for requests that need it.
 */
class Completion implements DeadlineEntry {
  happened = false;
  index = -1;
  expiresAt = Number.POSITIVE_INFINITY;
  readonly #response: HttpResponse;
  readonly #deadlines: Deadlines<DeadlineEntry>;
  #controller: AbortController | undefined;
  #listeners: (() => void)[] | undefined;

  constructor(response: HttpResponse, deadlines: Deadlines<DeadlineEntry>) {
    this.#response = response;
    this.#deadlines = deadlines;
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
    abortResponse(this.#response);
  }

  hooks(): Pick<ApiRequest, "signal" | "onComplete"> {
    return {
      signal: () => {
        this.#controller ??= new AbortController();
        if (this.happened) this.#controller.abort(CLIENT_DISCONNECTED);
        return this.#controller.signal;
      },
      onComplete: (listener) => {
        if (this.happened) listener();
        else if (this.#listeners === undefined) this.#listeners = [listener];
        else this.#listeners.push(listener);
      },
    };
  }

  #finish(): void {
    if (this.happened) return;
    this.happened = true;
    if (this.index !== -1) this.#deadlines.delete(this);
    this.#controller?.abort(CLIENT_DISCONNECTED);
    for (const listener of this.#listeners ?? []) listener();
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

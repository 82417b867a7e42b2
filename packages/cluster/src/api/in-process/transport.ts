import type { Transport, TransportRequest, TransportResponse } from "pintle/client";
import { ConnectionError, errorFromResponse } from "pintle/client";
import type { Clock } from "pintle/internal/clock";
import { runInBackground } from "pintle/internal/errors";
import { parseJson, setOwnProperty } from "pintle/internal/json";
import { encodeResponseBody } from "../encoding/encode-body.ts";
import {
  type ApiResponse,
  getHeader,
  type QueryParameters,
  type ResponseBody,
  type WatchEvent,
  type WatchStream,
} from "../request/api-request.ts";
import { ADMIN, type UserInfo } from "../request/user.ts";
import type { ApiServer } from "../server.ts";
import { createChannelPair } from "./channel-pair.ts";
import { createRequestSignals, type RequestSignal } from "./request-signals.ts";

/** The headers of a WebSocket upgrade. */
const WEBSOCKET_UPGRADE_HEADERS = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": "" };

export interface InProcessTransportOptions {
  /** The user of all requests. Default: an administrator. */
  readonly user?: UserInfo | undefined;
  readonly userAgent?: string | undefined;
  /** The clock for bookmarks and timeouts of watches. Default: the server's. With a virtual clock, pass a real one to keep streams alive in real time. */
  readonly livenessClock?: Clock | undefined;
  /** See `Transport.trackWork`. */
  readonly trackWork?: Transport["trackWork"];
}

/**
 * Creates a transport that enters the pipeline without HTTP: same stages, same errors, no bytes. Request bodies are copied and
 * response bodies are frozen, so that neither side can change the other's objects.
 */
export function createInProcessTransport(
  server: Pick<ApiServer, "handle">,
  { user = ADMIN, userAgent = "pintle", livenessClock, trackWork }: InProcessTransportOptions = {},
): Transport {
  const requestSignals = createRequestSignals();
  return {
    ...(trackWork === undefined ? {} : { trackWork }),
    async request(request) {
      const requestSignal = requestSignals.open(request.signal);
      if (requestSignal.aborted) throw abortedError(request, requestSignal.signal);
      const response = await server.handle({
        method: request.method,
        path: request.path,
        query: toQueryParameters(request.query),
        headers: { "user-agent": userAgent, ...request.headers },
        user,
        body: request.body === undefined ? undefined : { json: copyJson(request.body) },
        signal: () => requestSignal.signal,
        livenessClock,
      });
      const { type } = response.body;
      if (requestSignal.aborted || (type !== "watch" && type !== "stream")) requestSignal.release();
      if (requestSignal.aborted) throw abortedError(request, requestSignal.signal);
      if (response.body.type === "cut" && response.body.of === undefined) throw disconnectedError(request);
      return createTransportResponse(response, request, requestSignal);
    },
    async open({ path, query, protocols, signal: callerSignal }) {
      const request: TransportRequest = { method: "GET", path };
      const requestSignal = requestSignals.open(callerSignal);
      const { signal } = requestSignal;
      const headers = { ...WEBSOCKET_UPGRADE_HEADERS, "user-agent": userAgent, "sec-websocket-protocol": protocols.join(", ") };
      const response = await server.handle({
        method: "GET",
        path,
        query: toQueryParameters(query),
        headers,
        user,
        body: undefined,
        signal: () => signal,
        livenessClock,
      });
      if (signal.aborted) throw abortedError(request, signal);
      if (response.body.type === "cut") throw disconnectedError(request);
      if (response.body.type === "wire") throw connectionError(request, "the stream leads to another process: connect over HTTP");
      if (response.body.type !== "messages")
        throw await errorFromResponse(createTransportResponse(response, request, requestSignal), { request: `GET ${path}` });
      const [ours, theirs] = createChannelPair(getHeader(response.headers, "sec-websocket-protocol") ?? "", `GET ${path}`, signal);
      // The client learns of a failure from its end of the channel.
      runInBackground(response.body.serve(theirs), () => theirs.close());
      return ours;
    },
    async close() {
      requestSignals.close();
    },
  };
}

function createTransportResponse(response: ApiResponse, request: TransportRequest, requestSignal: RequestSignal): TransportResponse {
  const { status, headers, body } = response;
  return {
    status,
    headers,
    async json() {
      if (body.type === "cut") throw disconnectedError(request);
      if (body.type === "json") return body.value;
      const value = body.type === "bytes" ? tryParseJson(body.bytes) : undefined;
      if (value === undefined) throw connectionError(request, "the response is not JSON");
      return value;
    },
    lines: () => (body.type === "watch" ? readWatchLines(body.stream, request, requestSignal) : singleLine(body, request)),
    bytes: () => encodeChunks(body, request, requestSignal),
  };
}

/** Parses a response that has its own JSON bytes, such as /version. */
function tryParseJson(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes);
  } catch {
    return undefined;
  }
}

async function* singleLine(body: ResponseBody, request: TransportRequest): AsyncIterable<unknown> {
  if (body.type === "cut") throw disconnectedError(request);
  if (body.type === "json") yield body.value;
}

async function* encodeChunks(body: ResponseBody, request: TransportRequest, requestSignal: RequestSignal): AsyncIterable<Uint8Array> {
  if (body.type === "bytes") yield body.bytes;
  else if (body.type === "stream") yield* closeAfterLastChunk(body.chunks, requestSignal);
  else if (body.type === "json") {
    const encoded = await encodeResponseBody(body, false);
    if (encoded instanceof Uint8Array) yield encoded;
    else yield* encoded.chunks;
  } else if (body.type === "watch") for await (const event of readWatchEvents(body.stream, request, requestSignal)) yield event.bytes();
  else if (body.type === "cut") throw disconnectedError(request);
}

async function* closeAfterLastChunk(chunks: AsyncIterable<Uint8Array>, requestSignal: RequestSignal): AsyncIterable<Uint8Array> {
  try {
    yield* chunks;
  } finally {
    requestSignal.release();
  }
}

async function* readWatchLines(stream: WatchStream, request: TransportRequest, requestSignal: RequestSignal): AsyncIterable<unknown> {
  for await (const { type, object } of readWatchEvents(stream, request, requestSignal)) yield { type, object };
}

/** Yields events in order, as fast as the reader takes them. */
async function* readWatchEvents(stream: WatchStream, request: TransportRequest, requestSignal: RequestSignal): AsyncIterable<WatchEvent> {
  const { signal } = requestSignal;
  let queue: WatchEvent[] = [];
  let ended = false;
  let broken = false;
  let notify: (() => void) | undefined;
  const stop = stream.open({
    event(event) {
      queue.push(event);
      notify?.();
    },
    end() {
      ended = true;
      notify?.();
    },
    disconnect() {
      broken = true;
      notify?.();
    },
  });
  const abort = () => {
    ended = true;
    notify?.();
  };
  signal.addEventListener("abort", abort);
  try {
    for (;;) {
      const batch = queue;
      queue = [];
      yield* batch;
      if (queue.length > 0) continue;
      if (broken) throw disconnectedError(request);
      if (ended || signal.aborted) return;
      await new Promise<void>((resolve) => {
        notify = resolve;
      });
    }
  } finally {
    stop();
    requestSignal.release();
    signal.removeEventListener("abort", abort);
  }
}

function toQueryParameters(query: TransportRequest["query"]): QueryParameters {
  const map = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) map.set(name, typeof value === "string" ? [value] : value);
  }
  return map;
}

/** Copies a value as JSON would: without undefined fields, and nothing is shared. */
function copyJson(value: unknown): unknown {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item) => copyJson(item) ?? null);
  if ("toJSON" in value && typeof value.toJSON === "function") return copyJson(value.toJSON());
  const fields = value as Readonly<Record<string, unknown>>;
  const object: Record<string, unknown> = {};
  // `for in` costs half of Object.entries, and every body is copied.
  for (const key in fields) {
    const part = fields[key];
    if (part !== undefined && Object.hasOwn(fields, key)) setOwnProperty(object, key, copyJson(part));
  }
  return object;
}

function abortedError(request: TransportRequest, signal: AbortSignal): Error {
  if (request.signal?.aborted) return signal.reason as Error;
  return connectionError(request, "the transport to the embedded cluster was closed: make a new one");
}

function connectionError({ method, path }: TransportRequest, why: string, reached = false): ConnectionError {
  return new ConnectionError({ message: `${method} ${path}: ${why}`, request: `${method} ${path}` }, reached);
}

function disconnectedError(request: TransportRequest): ConnectionError {
  return connectionError(request, "the connection to the embedded cluster broke", true);
}

import type { OutgoingHttpHeaders } from "node:http";
import { constants as http2Codes } from "node:http2";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { constants, createGzip, gzip } from "node:zlib";
import { ignoreError, runInBackground } from "pintle/internal/errors";
import { extendObject } from "pintle/internal/json";
import { encodeResponseBody, isPrettyRequested, joinBody } from "../encoding/encode-body.ts";
import type { ApiRequest, ApiResponse, ChunkedBody, ResponseBody, WatchEvent, WatchStream } from "../request/api-request.ts";
import { getHeader } from "../request/api-request.ts";
import { WRITE_CHUNK_BYTES } from "./limits.ts";
import { createWatchFlushQueue } from "./watch-flush-queue.ts";

/** The methods that responses of HTTP/1.1 and HTTP/2 share. */
export interface HttpResponse {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly writableLength?: number;
  /** HTTP/2 only. */
  readonly stream?: {
    readonly writableLength: number;
    readonly session?: { destroy(): void } | undefined;
    respond(headers: OutgoingHttpHeaders): void;
    write(content: Uint8Array, written?: (error?: Error | null) => void): boolean;
    end(content?: Uint8Array): unknown;
    close(code: number): void;
  };
  /** HTTP/1.1 only. */
  readonly socket: { destroy(): void } | null;
  writeHead(status: number, headers: ApiResponse["headers"]): unknown;
  flushHeaders(): void;
  write(content: Uint8Array, written?: (error?: Error | null) => void): boolean;
  end(content?: Uint8Array): unknown;
  destroy(): unknown;
  on(event: "error", listener: () => void): unknown;
  once(event: "close", listener: () => void): unknown;
}

/** Learns how a response is written. */
export interface ResponseProgress {
  /** All bytes are in the hands of the connection. */
  written(bytes: number): void;
  /** All bytes exist, and are handed to the connection in pieces. Throws `TooManyRequestsError`, before anything was sent. */
  writtenInPieces(bytes: number): void;
  /** Bytes are made as the client reads. Throws `TooManyRequestsError`, before anything was sent. */
  becomesLong(): void;
}

const flushQueue = createWatchFlushQueue();
const compress = promisify(gzip);
const GZIP_THRESHOLD_BYTES = 128 * 1024;
/** As kube-apiserver parses it: by name, without quality values. */
const acceptsGzip = (encodings: string) => encodings.split(",").some((each) => each.trim() === "gzip");
/** A client that reads so slowly is disconnected; it lists and watches again. */
const MAX_WATCH_BACKLOG_BYTES = 64 * 1024 * 1024;

/** Writes a response; resolves when it is complete, handed to the connection, or the client disconnected. */
export async function writeResponse(
  request: Pick<ApiRequest, "method" | "query" | "headers">,
  response: HttpResponse,
  apiResponse: ApiResponse,
  progress: ResponseProgress,
): Promise<void> {
  const { status, headers, body } = apiResponse;
  if (body.type === "watch") {
    response.writeHead(status, headers);
    return pipeWatch(body.stream, response);
  }
  if (body.type === "cut") return writeHalf(request, response, { status, headers }, body.of);
  if (body.type === "stream") {
    response.writeHead(status, headers);
    return pipeChunks(body.chunks, response, request.method === "HEAD");
  }
  // A client that did not ask for an upgrade cannot use the connection.
  if (body.type === "messages" || body.type === "wire") return destroyConnection(response);
  if (body.type === "none") return writeHead(response, status, headers, progress);
  if (request.method !== "GET") {
    const flushed = flushQueue.waitForFlush();
    if (flushed !== undefined) await flushed;
  }
  const content = body.type === "bytes" ? body.bytes : await encodeResponseBody(body, isPrettyRequested(request.query, request.headers));
  if (!(content instanceof Uint8Array)) return writeChunked(request, response, { status, headers }, content, progress);
  const { length } = content;
  if (request.method === "HEAD") return writeHead(response, status, { ...headers, "content-length": String(length) }, progress);
  if (length <= GZIP_THRESHOLD_BYTES || !acceptsGzip(getHeader(request.headers, "accept-encoding") ?? "")) {
    return writeWhole(response, status, headers, content, progress);
  }
  const packed = await compress(content, { level: constants.Z_BEST_SPEED });
  return writeWhole(response, status, addGzipHeaders(headers), packed, progress);
}

function writeHead(response: HttpResponse, status: number, headers: ApiResponse["headers"], progress: ResponseProgress): void {
  response.writeHead(status, headers);
  response.end();
  progress.written(0);
}

function addGzipHeaders(headers: ApiResponse["headers"]): ApiResponse["headers"] {
  const vary = headers["vary"] === undefined ? "Accept-Encoding" : `${headers["vary"]}, Accept-Encoding`;
  return { ...headers, vary, "content-encoding": "gzip" };
}

/** Writes a long body as the client reads it. */
function writeChunked(
  request: Pick<ApiRequest, "method" | "headers">,
  response: HttpResponse,
  { status, headers }: Pick<ApiResponse, "status" | "headers">,
  { chunks, length }: ChunkedBody,
  progress: ResponseProgress,
): Promise<void> | undefined {
  if (response.writableEnded || response.headersSent) return undefined;
  progress.becomesLong();
  const headOnly = request.method === "HEAD";
  if (headOnly || !acceptsGzip(getHeader(request.headers, "accept-encoding") ?? "")) {
    response.writeHead(status, length === undefined ? headers : { ...headers, "content-length": String(length) });
    return pipeChunks(chunks, response, headOnly);
  }
  const packed = createGzip({ level: constants.Z_BEST_SPEED });
  // A failure ends `packed` with an error, which pipeChunks sees.
  runInBackground(pipeline(chunks, packed), ignoreError);
  response.writeHead(status, addGzipHeaders(headers));
  return pipeChunks(packed, response, false);
}

function writeWhole(
  response: HttpResponse,
  status: number,
  headers: ApiResponse["headers"],
  content: Uint8Array,
  progress: ResponseProgress,
): void {
  const length = { "content-length": String(content.length) };
  if (response.writableEnded || response.headersSent) return;
  const isShort = content.length <= WRITE_CHUNK_BYTES;
  if (!isShort) progress.writtenInPieces(content.length);
  if (response.stream === undefined) response.writeHead(status, extendObject(headers, length));
  else response.stream.respond({ ":status": status, ...headers, ...length });
  // Node's compatibility response ends the stream in a separate frame, for which the client waits one more iteration.
  writeChunks(response.stream ?? response, content);
  if (isShort) progress.written(content.length);
}

/** Writes a chunk at a time: what is handed to a connection counts towards its memory, and nothing else may be sent until it is read. */
function writeChunks(target: Pick<HttpResponse, "write" | "end">, content: Uint8Array): void {
  if (content.length <= WRITE_CHUNK_BYTES) {
    target.end(content);
    return;
  }
  target.write(content.subarray(0, WRITE_CHUNK_BYTES), (error) => {
    if (!error) writeChunks(target, content.subarray(WRITE_CHUNK_BYTES));
  });
}

async function pipeChunks(chunks: AsyncIterable<Uint8Array>, response: HttpResponse, headOnly: boolean): Promise<void> {
  response.flushHeaders();
  let gone = headOnly;
  const left = new Promise<void>((resolve) =>
    response.once("close", () => {
      gone = true;
      resolve();
    }),
  );
  const parts = chunks[Symbol.asyncIterator]();
  try {
    while (!gone) {
      const next = await Promise.race([parts.next(), left]);
      if (next === undefined || next.done) break;
      const written = new Promise<void>((resolve) => response.write(next.value, () => resolve()));
      await Promise.race([written, left]);
    }
    response.end();
  } catch {
    // Headers are sent: a broken connection is how the client learns that the body is incomplete.
    destroyConnection(response);
  } finally {
    runInBackground(parts.return?.(), ignoreError);
  }
}

function pipeWatch(stream: WatchStream, response: HttpResponse): Promise<void> {
  // Flush at once: a client that waits for a change must know that the watch is open.
  response.flushHeaders();
  return new Promise((resolve) => {
    let gathered: WatchEvent[] = [];
    const flush = () => {
      const events = gathered;
      gathered = [];
      if (events.length > 0 && !response.writableEnded) response.write(flushQueue.concatEvents(events));
      if (getBacklog(response) > MAX_WATCH_BACKLOG_BYTES) abortResponse(response);
    };
    const stop = stream.open({
      event(event) {
        if (gathered.push(event) === 1) flushQueue.schedule(flush);
      },
      end() {
        flush();
        response.end();
      },
      disconnect() {
        const last = gathered;
        gathered = [];
        if (last.length === 0) destroyConnection(response);
        else response.write(flushQueue.concatEvents(last), () => destroyConnection(response));
      },
    });
    response.once("close", () => {
      stop();
      resolve();
    });
  });
}

/** Sends half of the body and breaks the connection. */
async function writeHalf(
  request: Pick<ApiRequest, "query" | "headers">,
  response: HttpResponse,
  { status, headers }: Pick<ApiResponse, "status" | "headers">,
  body: ResponseBody | undefined,
): Promise<void> {
  if (body?.type !== "json" && body?.type !== "bytes") return destroyConnection(response);
  const encoded = body.type === "bytes" ? body.bytes : await encodeResponseBody(body, isPrettyRequested(request.query, request.headers));
  const content = await joinBody(encoded);
  response.writeHead(status, { ...headers, "content-length": String(content.length) });
  response.write(content.subarray(0, content.length >> 1), () => destroyConnection(response));
}

/** Breaks off a response: its stream, as kube-apiserver does, or its connection. `destroy` would not notify an HTTP/2 client. */
export function abortResponse(response: HttpResponse): void {
  if (response.stream === undefined) response.destroy();
  else response.stream.close(http2Codes.NGHTTP2_INTERNAL_ERROR);
}

function destroyConnection({ stream, socket }: HttpResponse): void {
  if (stream?.session === undefined) socket?.destroy();
  else stream.session.destroy();
}

function getBacklog(response: HttpResponse): number {
  return response.stream?.writableLength ?? response.writableLength ?? 0;
}

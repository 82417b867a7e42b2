import type { OutgoingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { extended } from "pintle/kinds";
import type { AnswerBody, ApiAnswer, ApiRequest, WatchEvent, WatchStream } from "../request.ts";
import { header } from "../request.ts";
import { fanOut } from "./fan-out.ts";
import { encode, wantsPretty } from "./text.ts";

/** What the responses of HTTP/1.1 and HTTP/2 have in common. */
export interface Response {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly writableLength?: number;
  /** Of HTTP/2. */
  readonly stream?: {
    readonly writableLength: number;
    readonly session?: { destroy(): void } | undefined;
    respond(headers: OutgoingHttpHeaders): void;
    end(content: Uint8Array): unknown;
  };
  /** Of HTTP/1.1. */
  readonly socket: { destroy(): void } | null;
  writeHead(status: number, headers: ApiAnswer["headers"]): unknown;
  flushHeaders(): void;
  write(content: Uint8Array, written?: () => void): boolean;
  end(content?: Uint8Array): unknown;
  destroy(): unknown;
  on(event: "error", listener: () => void): unknown;
  once(event: "close", listener: () => void): unknown;
}

const watchers = fanOut();
const compress = promisify(gzip);
const GZIP_BEYOND = 128 * 1024;
/** As upstream reads it: by name alone, without any quality. */
const acceptsGzip = (encodings: string) => encodings.split(",").some((each) => each.trim() === "gzip");
/** A watcher that reads so slowly is cut off; it will look again. */
const WATCH_BACKLOG = 64 * 1024 * 1024;

/** Writes an answer; resolves when it is complete or the client has gone. */
export async function respond(
  request: Pick<ApiRequest, "method" | "query" | "headers">,
  response: Response,
  answer: ApiAnswer,
): Promise<void> {
  const { status, headers, body } = answer;
  if (body.type === "watch") {
    response.writeHead(status, headers);
    return pipeWatch(body.stream, response);
  }
  if (body.type === "cut") return breakOff(request, response, { status, headers }, body.of);
  if (body.type === "stream") {
    response.writeHead(status, headers);
    return pipeChunks(body.chunks, response, request.method === "HEAD");
  }
  // Whoever did not ask for a connection of its own has no use for one.
  if (body.type === "messages" || body.type === "wire") return cutConnection(response);
  if (body.type === "none") {
    response.writeHead(status, headers);
    response.end();
    return;
  }
  const content = body.type === "bytes" ? body.bytes : await encode(body, wantsPretty(request.query, request.headers));
  const { length } = content;
  if (request.method === "HEAD") {
    response.writeHead(status, { ...headers, "content-length": String(length) });
    response.end();
    return;
  }
  if (length <= GZIP_BEYOND || !acceptsGzip(header(request.headers, "accept-encoding") ?? "")) {
    return whole(response, status, headers, content);
  }
  const packed = await compress(content, { level: constants.Z_BEST_SPEED });
  const vary = headers["vary"] === undefined ? "Accept-Encoding" : `${headers["vary"]}, Accept-Encoding`;
  whole(response, status, { ...headers, vary, "content-encoding": "gzip" }, packed);
}

function whole(response: Response, status: number, headers: ApiAnswer["headers"], content: Uint8Array): void {
  const length = { "content-length": String(content.length) };
  if (response.stream === undefined) {
    response.writeHead(status, extended(headers, length));
    response.end(content);
    return;
  }
  // The response that Node puts before an HTTP/2 stream says the end in a frame of its own, for which the client waits one turn more.
  if (response.writableEnded || response.headersSent) return;
  response.stream.respond({ ":status": status, ...headers, ...length });
  response.stream.end(content);
}

async function pipeChunks(chunks: AsyncIterable<Uint8Array>, response: Response, headOnly: boolean): Promise<void> {
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
      const written = new Promise<void>((resolve) => response.write(next.value, resolve));
      await Promise.race([written, left]);
    }
    response.end();
  } catch {
    // What has begun cannot be taken back: the client learns that this was no end.
    cutConnection(response);
  } finally {
    parts.return?.().catch(() => {});
  }
}

function pipeWatch(stream: WatchStream, response: Response): Promise<void> {
  // At once: a client that waits for a change must first learn that the watch stands.
  response.flushHeaders();
  return new Promise((resolve) => {
    let gathered: WatchEvent[] = [];
    const flush = () => {
      const events = gathered;
      gathered = [];
      if (events.length > 0 && !response.writableEnded) response.write(watchers.joined(events));
      if (backlog(response) > WATCH_BACKLOG) response.destroy();
    };
    const stop = stream.open({
      event(event) {
        if (gathered.push(event) === 1) watchers.soon(flush);
      },
      end() {
        flush();
        response.end();
      },
      cut() {
        const last = gathered;
        gathered = [];
        if (last.length === 0) cutConnection(response);
        else response.write(watchers.joined(last), () => cutConnection(response));
      },
    });
    response.once("close", () => {
      stop();
      resolve();
    });
  });
}

/** Half of the body is all that the client gets. */
async function breakOff(
  request: Pick<ApiRequest, "query" | "headers">,
  response: Response,
  { status, headers }: Pick<ApiAnswer, "status" | "headers">,
  body: AnswerBody | undefined,
): Promise<void> {
  if (body?.type !== "json" && body?.type !== "bytes") return cutConnection(response);
  const content = body.type === "bytes" ? body.bytes : await encode(body, wantsPretty(request.query, request.headers));
  response.writeHead(status, { ...headers, "content-length": String(content.length) });
  response.write(content.subarray(0, content.length >> 1), () => cutConnection(response));
}

function cutConnection({ stream, socket }: Response): void {
  if (stream?.session === undefined) socket?.destroy();
  else stream.session.destroy();
}

function backlog(response: Response): number {
  return response.stream?.writableLength ?? response.writableLength ?? 0;
}

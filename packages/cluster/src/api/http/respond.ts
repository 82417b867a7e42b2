import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { ApiAnswer, ApiRequest, WatchEvent, WatchStream } from "../request.ts";
import { header } from "../request.ts";
import { fanOut } from "./fan-out.ts";
import { encode, wantsPretty } from "./text.ts";

/** What the responses of HTTP/1.1 and HTTP/2 have in common. */
export interface Response {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly writableLength?: number;
  readonly stream?: { readonly writableLength: number };
  writeHead(status: number, headers: ApiAnswer["headers"]): unknown;
  flushHeaders(): void;
  write(content: Uint8Array): boolean;
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
  if (body.type === "none") {
    response.writeHead(status, headers);
    response.end();
    return;
  }
  const content = body.type === "bytes" ? body.bytes : await encode(body.value, body.as, wantsPretty(request.query, request.headers));
  const { length } = content;
  if (request.method === "HEAD") {
    response.writeHead(status, { ...headers, "content-length": String(length) });
    response.end();
    return;
  }
  if (length <= GZIP_BEYOND || !acceptsGzip(header(request.headers, "accept-encoding") ?? "")) {
    response.writeHead(status, { ...headers, "content-length": String(length) });
    response.end(content);
    return;
  }
  const packed = await compress(content, { level: constants.Z_BEST_SPEED });
  const vary = headers["vary"] === undefined ? "Accept-Encoding" : `${headers["vary"]}, Accept-Encoding`;
  response.writeHead(status, { ...headers, vary, "content-encoding": "gzip", "content-length": String(packed.length) });
  response.end(packed);
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
    });
    response.once("close", () => {
      stop();
      resolve();
    });
  });
}

function backlog(response: Response): number {
  return response.stream?.writableLength ?? response.writableLength ?? 0;
}

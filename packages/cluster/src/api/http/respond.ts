import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { ApiAnswer, ApiRequest, WatchStream } from "../request.ts";
import { header } from "../request.ts";
import { encode, wantsPretty } from "./text.ts";

/** What the responses of HTTP/1.1 and HTTP/2 have in common. */
export interface Response {
  statusCode: number;
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly writableLength?: number;
  readonly stream?: { readonly writableLength: number };
  setHeader(name: string, value: string | readonly string[]): unknown;
  flushHeaders(): void;
  write(text: string): boolean;
  end(content?: Uint8Array): unknown;
  destroy(): unknown;
  on(event: "error", listener: () => void): unknown;
  once(event: "close", listener: () => void): unknown;
}

const compress = promisify(gzip);
const GZIP_FROM = 128 * 1024;
/** A watcher that reads so slowly is cut off; it will look again. */
const WATCH_BACKLOG = 64 * 1024 * 1024;

/** Writes an answer; resolves when it is complete or the client has gone. */
export async function respond(request: ApiRequest, response: Response, answer: ApiAnswer): Promise<void> {
  const { status, headers, body } = answer;
  if (body.type === "watch") {
    head(response, status, headers);
    return pipeWatch(body.stream, response);
  }
  if (body.type === "none" || request.method === "HEAD") {
    head(response, status, headers);
    response.end();
    return;
  }
  const content = body.type === "bytes" ? body.bytes : await encode(body.value, body.as, wantsPretty(request.query, request.headers));
  const plain = typeof content === "string" ? Buffer.from(content) : content;
  if (plain.length < GZIP_FROM || !/\bgzip\b/.test(header(request.headers, "accept-encoding") ?? "")) {
    head(response, status, { ...headers, "content-length": String(plain.length) });
    response.end(plain);
    return;
  }
  const packed = await compress(plain, { level: constants.Z_BEST_SPEED });
  const vary = headers["vary"] === undefined ? "Accept-Encoding" : `${headers["vary"]}, Accept-Encoding`;
  head(response, status, { ...headers, vary, "content-encoding": "gzip", "content-length": String(packed.length) });
  response.end(packed);
}

function head(response: Response, status: number, headers: ApiAnswer["headers"]): void {
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value);
  response.statusCode = status;
}

function pipeWatch(stream: WatchStream, response: Response): Promise<void> {
  // At once: a client that waits for a change must first learn that the watch stands.
  response.flushHeaders();
  return new Promise((resolve) => {
    let gathered = "";
    // Events of one turn of the loop leave in one write.
    const flush = () => {
      const text = gathered;
      gathered = "";
      if (text !== "" && !response.writableEnded) response.write(text);
      if (backlog(response) > WATCH_BACKLOG) response.destroy();
    };
    const stop = stream.open({
      event(event) {
        if (gathered === "") setImmediate(flush);
        gathered += event.line();
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

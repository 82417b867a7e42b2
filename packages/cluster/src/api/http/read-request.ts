import type { Readable } from "node:stream";
import { ApiError, badRequest } from "../../status/index.ts";
import { ChunkTurns } from "../../turns/index.ts";
import type { HttpHeaders, QueryParameters } from "../request/api-request.ts";
import { MAX_BODY_BYTES, STREAM_WINDOW_BYTES } from "./limits.ts";

const NONE: QueryParameters = new Map();

/** Whether the percent escapes of a path are well-formed. Other paths are refused before they are parsed. */
export function isWellFormedPath(path: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(path);
}

const copyBuffer = Buffer.allocUnsafe(8 * 1024);

/**
 * Copies a string onto the V8 heap. Node's strings of an HTTP/2 request refer to memory of the connection, and V8 visits all of them in
 * every full garbage collection. Parts of a path live long, in the audit log for one.
 */
function copyString(text: string): string {
  if (text.length > copyBuffer.length) return text;
  return copyBuffer.toString("latin1", 0, copyBuffer.write(text, "latin1"));
}

/** Parses a request target: the path stays escaped, the query is decoded. */
export function parseRequestTarget(target: string): { readonly path: string; readonly query: QueryParameters } {
  const url = copyString(target);
  const at = url.indexOf("?");
  if (at === -1) return { path: url, query: NONE };
  const query = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(url.slice(at + 1))) {
    const values = query.get(name);
    if (values === undefined) query.set(name, [value]);
    else values.push(value);
  }
  return { path: url.slice(0, at), query };
}

const IMPERSONATE_PREFIX = "impersonate-";

/** Reads headers by lower-case name. Node joins repeated headers with commas, which a group name may contain: impersonation headers become lists. */
export function readHeaders(message: { readonly headers: object; readonly rawHeaders: readonly string[] }): HttpHeaders {
  const headers = message.headers as HttpHeaders;
  if (!Object.keys(headers).some((name) => name.startsWith(IMPERSONATE_PREFIX))) return headers;
  const lists: Record<string, string[]> = {};
  for (let at = 0; at < message.rawHeaders.length; at += 2) {
    const name = (message.rawHeaders[at] as string).toLowerCase();
    if (!name.startsWith(IMPERSONATE_PREFIX)) continue;
    lists[name] ??= [];
    lists[name].push(message.rawHeaders[at + 1] as string);
  }
  return { ...headers, ...lists };
}

/** How much of a body that is not wanted is still read, and for how long: some clients read the response only after they sent everything. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
const MAX_DISCARD_MS = 5000;

const bodyTurns = new ChunkTurns();

/** Reads the body of a request. Throws 413 as soon as it is too long, and connection errors. */
export function readRequestBody(from: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MAX_BODY_BYTES) {
        chunks.push(chunk);
        // Small bodies, and the beginning of others, are read at once.
        if (length <= STREAM_WINDOW_BYTES) return;
        from.pause();
        bodyTurns.schedule(() => from.resume());
      } else {
        chunks.length = 0;
        from.pause();
        from.off("data", take);
        reject(new ApiError(413, "RequestEntityTooLarge", `Request entity too large: limit is ${MAX_BODY_BYTES}`));
      }
    };
    from.on("data", take);
    from.once("end", () => {
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    from.once("error", () => reject(disconnectedError()));
    from.once("close", () => {
      if (!from.readableEnded) reject(disconnectedError());
    });
  });
}

/** No client reads this response. */
function disconnectedError(): ApiError {
  return badRequest("the client disconnected before its request was complete");
}

/** Reads and drops what is left of a body, for a while; then `close` is called. */
export function discardRequestBody(from: Readable, close: () => void): void {
  if (from.readableEnded || from.destroyed) return;
  let length = 0;
  const timer = setTimeout(close, MAX_DISCARD_MS);
  timer.unref();
  from.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_DISCARDED_BYTES) close();
  });
  from.on("error", () => {});
  for (const event of ["end", "close"]) from.once(event, () => clearTimeout(timer));
  from.resume();
}

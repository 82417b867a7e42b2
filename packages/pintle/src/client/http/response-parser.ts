import { WireError } from "./wire-error.ts";

/** Headers by lower-case name; repeated headers as lists. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Receives the parts of a response. */
export interface ResponseHandler {
  onHead(status: number, headers: ResponseHeaders): void;
  onData(chunk: Buffer): void;
  /** The response is complete. `keep`: the connection may be reused. */
  onEnd(keep: boolean): void;
  /** The connection has switched protocols; `rest` already belongs to the new one. */
  onUpgrade(status: number, headers: ResponseHeaders, rest: Buffer): void;
}

/** The parser of one connection. Responses arrive one after another, each for the request announced by `expectResponse`. */
export interface ResponseParser {
  expectResponse(request: { readonly method: string; readonly upgrade?: boolean | undefined }): void;
  /** Throws `WireError` if the bytes are not HTTP; the connection must be closed then. */
  parse(chunk: Buffer): void;
  /** The peer has closed the connection. Throws `WireError` if the response is incomplete. */
  onPeerClose(): void;
}

type ParserState = "idle" | "head" | "sized" | "chunk size" | "chunk" | "chunk end" | "trailer" | "until close" | "upgraded";

const MAX_HEAD_BYTES = 64 * 1024;
/** Of the line before a chunk, including its extensions. */
const MAX_CHUNK_SIZE_LINE = 1024;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const CHUNK_SIZE = /^([0-9a-fA-F]{1,12})[ \t]*(?:;|$)/;

/** Returns a parser of HTTP/1.1 responses that arrive in arbitrary pieces. Strict: ambiguous responses are refused. */
export function createResponseParser(handler: ResponseHandler): ResponseParser {
  let state: ParserState = "idle";
  let method = "";
  let upgrade = false;
  let keep = true;
  /** Bytes of the body or chunk that have not arrived. */
  let left = 0;
  let trailer = 0;
  /** The incomplete beginning of a head, line or trailer. */
  let rest: Buffer | undefined;

  /** Returns the text up to the delimiter, or undefined if the delimiter has not arrived. */
  function readUntil(end: string, data: Buffer, at: number, max: number, what: string): string | undefined {
    const found = data.indexOf(end, at, "latin1");
    if ((found === -1 ? data.length : found) - at > max) throw createMalformedError(`${what} is too long`);
    if (found !== -1) return data.toString("latin1", at, found);
    rest = data.subarray(at);
    return undefined;
  }

  function finishResponse(more: boolean): void {
    if (more) throw createMalformedError("it continues after its end");
    state = "idle";
    handler.onEnd(keep);
  }

  function startResponse(text: string, after: Buffer): void {
    const { status, version, headers } = parseHead(text);
    if (status === 101) {
      if (!upgrade) throw createMalformedError("it switches protocols without a request to do so");
      state = "upgraded";
      handler.onUpgrade(status, headers, after);
      return;
    }
    // An informational response; the final one follows.
    if (status < 200) return;
    const connection = parseHeaderList(headers["connection"]);
    keep = version === "1" ? !connection.includes("close") : connection.includes("keep-alive");
    const length = parseBodyLength(headers);
    const empty = method === "HEAD" || status === 204 || status === 304 || length === 0;
    if (!empty && length === undefined) keep = false;
    left = typeof length === "number" ? length : 0;
    state = length === "chunked" ? "chunk size" : length === undefined ? "until close" : "sized";
    handler.onHead(status, headers);
    if (empty) finishResponse(after.length > 0);
  }

  /** Passes bytes of the body to the handler; returns how many. */
  function passBody(data: Buffer, at: number): number {
    const size = Math.min(left, data.length - at);
    left -= size;
    handler.onData(at === 0 && size === data.length ? data : data.subarray(at, at + size));
    return size;
  }

  /** Parses one element and returns where the next one begins; undefined when more bytes are needed. */
  function parseNext(data: Buffer, at: number): number | undefined {
    switch (state) {
      case "idle":
        throw createMalformedError("bytes arrived without a request");
      case "head": {
        const text = readUntil("\r\n\r\n", data, at, MAX_HEAD_BYTES, "its head");
        if (text === undefined) return undefined;
        const next = at + text.length + 4;
        startResponse(text, data.subarray(next));
        return next;
      }
      case "sized": {
        const next = at + passBody(data, at);
        if (left === 0) finishResponse(next < data.length);
        return next;
      }
      case "chunk size": {
        const line = readUntil("\r\n", data, at, MAX_CHUNK_SIZE_LINE, "the size of a chunk");
        if (line === undefined) return undefined;
        const size = CHUNK_SIZE.exec(line)?.[1];
        if (size === undefined) throw createMalformedError("a chunk has no size");
        left = Number.parseInt(size, 16);
        trailer = 0;
        state = left === 0 ? "trailer" : "chunk";
        return at + line.length + 2;
      }
      case "chunk": {
        const next = at + passBody(data, at);
        if (left === 0) state = "chunk end";
        return next;
      }
      case "chunk end": {
        if (data.length - at < 2) {
          rest = data.subarray(at);
          return undefined;
        }
        if (data[at] !== 0x0d || data[at + 1] !== 0x0a) throw createMalformedError("a chunk is longer than its size");
        state = "chunk size";
        return at + 2;
      }
      case "trailer": {
        const line = readUntil("\r\n", data, at, MAX_HEAD_BYTES, "its trailer");
        if (line === undefined) return undefined;
        trailer += line.length;
        if (trailer > MAX_HEAD_BYTES) throw createMalformedError("its trailer is too long");
        const next = at + line.length + 2;
        if (line === "") finishResponse(next < data.length);
        return next;
      }
      case "until close":
        handler.onData(at === 0 ? data : data.subarray(at));
        return undefined;
      case "upgraded":
        return undefined;
    }
  }

  return {
    expectResponse(request) {
      method = request.method;
      upgrade = request.upgrade === true;
      rest = undefined;
      state = "head";
    },
    parse(chunk) {
      const data = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
      rest = undefined;
      for (let at: number | undefined = 0; at !== undefined && at < data.length; ) at = parseNext(data, at);
    },
    onPeerClose() {
      if (state === "until close") finishResponse(false);
      else if (state !== "idle" && state !== "upgraded") throw new WireError("HUNG_UP", "the server closed the connection");
    },
  };
}

function parseHead(text: string): { readonly status: number; readonly version: string; readonly headers: ResponseHeaders } {
  const [first = "", ...lines] = text.split("\r\n");
  const [, version = "", status] = STATUS_LINE.exec(first) ?? [];
  if (status === undefined) throw createMalformedError(`it begins with ${JSON.stringify(first.slice(0, 80))}`);
  const headers: Record<string, string | string[]> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    if (colon === -1 || !HEADER_NAME.test(name) || line.includes("\n") || line.includes("\r") || line.includes("\0"))
      throw createMalformedError(`it has a header ${JSON.stringify(line.slice(0, 80))}`);
    const value = line.slice(colon + 1).trim();
    if (name === "__proto__") continue;
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    headers[name] = before === undefined ? value : typeof before === "string" ? [before, value] : [...before, value];
  }
  return { status: Number(status), version, headers };
}

/** Returns how the body is delimited: its length, chunks, or, if undefined, the end of the connection. */
function parseBodyLength(headers: ResponseHeaders): number | "chunked" | undefined {
  const coding = parseHeaderList(headers["transfer-encoding"]);
  const length = headers["content-length"];
  if (coding.length > 0) {
    if (length !== undefined) throw createMalformedError("it has both content-length and transfer-encoding");
    return coding.at(-1) === "chunked" ? "chunked" : undefined;
  }
  if (length === undefined) return undefined;
  const [first = "", ...others] = typeof length === "string" ? [length] : length;
  if (!/^\d{1,15}$/.test(first) || others.some((other) => other !== first)) throw createMalformedError(`its content-length is ${length}`);
  return Number(first);
}

function parseHeaderList(header: string | readonly string[] | undefined): readonly string[] {
  if (header === undefined) return [];
  const text = typeof header === "string" ? header : header.join(",");
  return text
    .toLowerCase()
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

function createMalformedError(why: string): WireError {
  return new WireError("MALFORMED", `the response is not valid HTTP: ${why}`);
}

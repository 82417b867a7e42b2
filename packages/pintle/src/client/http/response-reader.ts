import { WireError } from "./wire-error.ts";

export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Who hears what a connection answers. */
export interface ResponseSink {
  head(status: number, headers: Headers): void;
  data(chunk: Buffer): void;
  /** The whole answer is there. `keep`: the connection may be used again. */
  end(keep: boolean): void;
  /** The connection has changed its protocol; `rest` was said in the new one already. */
  upgraded(status: number, headers: Headers, rest: Buffer): void;
}

/** The reader of one connection: answers come one after another, each to the request that began before it. */
export interface ResponseReader {
  begin(request: { readonly method: string; readonly upgrade?: boolean | undefined }): void;
  /** Throws a WireError when this is not HTTP; the connection is of no use then. */
  take(chunk: Buffer): void;
  /** The other side has hung up. Throws a WireError when that was too early. */
  close(): void;
}

type State = "idle" | "head" | "sized" | "chunk size" | "chunk" | "chunk end" | "trailer" | "until close" | "upgraded";

const MOST_HEAD = 64 * 1024;
/** Of the line before a chunk, its extensions included. */
const MOST_SIZE_LINE = 1024;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const CHUNK_SIZE = /^([0-9a-fA-F]{1,12})[ \t]*(?:;|$)/;

/** Reads HTTP/1.1 answers, however they are cut into pieces. Strict: what could be read in two ways is refused. */
export function responseReader(sink: ResponseSink): ResponseReader {
  let state: State = "idle";
  let method = "";
  let upgrade = false;
  let keep = true;
  /** Bytes of the body, or of the chunk, that are still to come. */
  let left = 0;
  let trailer = 0;
  /** The beginning of something that has to be read as a whole. */
  let rest: Buffer | undefined;

  /** Up to the given end, or undefined when it is not there yet. */
  function until(end: string, data: Buffer, at: number, most: number, what: string): string | undefined {
    const found = data.indexOf(end, at, "latin1");
    if ((found === -1 ? data.length : found) - at > most) throw malformed(`${what} is too long`);
    if (found !== -1) return data.toString("latin1", at, found);
    rest = data.subarray(at);
    return undefined;
  }

  function ended(more: boolean): void {
    if (more) throw malformed("it goes on after its end");
    state = "idle";
    sink.end(keep);
  }

  function began(text: string, after: Buffer): void {
    const { status, version, headers } = parseHead(text);
    if (status === 101) {
      if (!upgrade) throw malformed("it changes the protocol, which nobody asked for");
      state = "upgraded";
      sink.upgraded(status, headers, after);
      return;
    }
    // Only a foretaste; the answer itself follows.
    if (status < 200) return;
    const connection = listOf(headers["connection"]);
    keep = version === "1" ? !connection.includes("close") : connection.includes("keep-alive");
    const length = lengthOf(headers);
    const empty = method === "HEAD" || status === 204 || status === 304 || length === 0;
    if (!empty && length === undefined) keep = false;
    left = typeof length === "number" ? length : 0;
    state = length === "chunked" ? "chunk size" : length === undefined ? "until close" : "sized";
    sink.head(status, headers);
    if (empty) ended(after.length > 0);
  }

  /** Hands on what belongs to the body; gives how much that was. */
  function body(data: Buffer, at: number): number {
    const size = Math.min(left, data.length - at);
    left -= size;
    sink.data(at === 0 && size === data.length ? data : data.subarray(at, at + size));
    return size;
  }

  /** Reads one part, and gives where the next one begins; undefined when more bytes are needed. */
  function step(data: Buffer, at: number): number | undefined {
    switch (state) {
      case "idle":
        throw malformed("it says something that nobody asked for");
      case "head": {
        const text = until("\r\n\r\n", data, at, MOST_HEAD, "its head");
        if (text === undefined) return undefined;
        const next = at + text.length + 4;
        began(text, data.subarray(next));
        return next;
      }
      case "sized": {
        const next = at + body(data, at);
        if (left === 0) ended(next < data.length);
        return next;
      }
      case "chunk size": {
        const line = until("\r\n", data, at, MOST_SIZE_LINE, "the size of a chunk");
        if (line === undefined) return undefined;
        const size = CHUNK_SIZE.exec(line)?.[1];
        if (size === undefined) throw malformed("a chunk has no size");
        left = Number.parseInt(size, 16);
        trailer = 0;
        state = left === 0 ? "trailer" : "chunk";
        return at + line.length + 2;
      }
      case "chunk": {
        const next = at + body(data, at);
        if (left === 0) state = "chunk end";
        return next;
      }
      case "chunk end": {
        if (data.length - at < 2) {
          rest = data.subarray(at);
          return undefined;
        }
        if (data[at] !== 0x0d || data[at + 1] !== 0x0a) throw malformed("a chunk is longer than it says");
        state = "chunk size";
        return at + 2;
      }
      case "trailer": {
        const line = until("\r\n", data, at, MOST_HEAD, "its trailer");
        if (line === undefined) return undefined;
        trailer += line.length;
        if (trailer > MOST_HEAD) throw malformed("its trailer is too long");
        const next = at + line.length + 2;
        if (line === "") ended(next < data.length);
        return next;
      }
      case "until close":
        sink.data(at === 0 ? data : data.subarray(at));
        return undefined;
      case "upgraded":
        return undefined;
    }
  }

  return {
    begin(request) {
      method = request.method;
      upgrade = request.upgrade === true;
      rest = undefined;
      state = "head";
    },
    take(chunk) {
      const data = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
      rest = undefined;
      for (let at: number | undefined = 0; at !== undefined && at < data.length; ) at = step(data, at);
    },
    close() {
      if (state === "until close") ended(false);
      else if (state !== "idle" && state !== "upgraded") throw new WireError("HUNG_UP", "the other side closed the connection");
    },
  };
}

function parseHead(text: string): { readonly status: number; readonly version: string; readonly headers: Headers } {
  const [first = "", ...lines] = text.split("\r\n");
  const [, version = "", status] = STATUS_LINE.exec(first) ?? [];
  if (status === undefined) throw malformed(`it begins with ${JSON.stringify(first.slice(0, 80))}`);
  const headers: Record<string, string | string[]> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    if (colon === -1 || !NAME.test(name) || line.includes("\n") || line.includes("\r") || line.includes("\0"))
      throw malformed(`it has a header ${JSON.stringify(line.slice(0, 80))}`);
    const value = line.slice(colon + 1).trim();
    if (name === "__proto__") continue;
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    headers[name] = before === undefined ? value : typeof before === "string" ? [before, value] : [...before, value];
  }
  return { status: Number(status), version, headers };
}

/** How the body ends: after so many bytes, by chunks, or, undefined, with the connection. */
function lengthOf(headers: Headers): number | "chunked" | undefined {
  const coding = listOf(headers["transfer-encoding"]);
  const length = headers["content-length"];
  if (coding.length > 0) {
    if (length !== undefined) throw malformed("it says in two ways how long it is");
    return coding.at(-1) === "chunked" ? "chunked" : undefined;
  }
  if (length === undefined) return undefined;
  const [first = "", ...others] = typeof length === "string" ? [length] : length;
  if (!/^\d{1,15}$/.test(first) || others.some((other) => other !== first)) throw malformed(`it says that it is ${length} bytes long`);
  return Number(first);
}

function listOf(header: string | readonly string[] | undefined): readonly string[] {
  if (header === undefined) return [];
  const text = typeof header === "string" ? header : header.join(",");
  return text
    .toLowerCase()
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

function malformed(why: string): WireError {
  return new WireError("MALFORMED", `the answer is not HTTP: ${why}`);
}

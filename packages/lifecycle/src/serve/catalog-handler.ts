import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { runInBackground } from "pintle/internal/errors";
import type { CatalogStore, OpenCatalog } from "./catalog-store.ts";
import { type ContentEncoding, createCompressor, MIN_COMPRESSED_BYTES, selectEncoding } from "./content-encoding.ts";
import { checkPreconditions, readRange } from "./preconditions.ts";

/** Where catalogs are served, and which endpoints. */
export interface CatalogHandlerOptions {
  /** The path above the names of catalogs. Default: "/catalogs". */
  readonly path?: string | undefined;
  /** Serve `/api/v1/metas`, catalogd's gate APIV1MetasHandler. Default: true. */
  readonly metas?: boolean | undefined;
  /** Called with errors that are not the client's. Default: they only end the response. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Returns the boundary between the parts of a response to a request for several ranges. Default: 60 random characters. */
  readonly boundary?: (() => string) | undefined;
}

const CONTENT_TYPE = "application/jsonl";
const QUERY_PARAMETERS = new Set(["schema", "package", "name"]);

/**
 * Answers requests for catalogs as catalogd does: `GET` and `HEAD` of `/catalogs/NAME/api/v1/all` and `/metas?schema=&package=&name=`, with
 * Last-Modified, conditional requests, ranges and compression; the texts of errors are those of catalogd. Never throws.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { CatalogStore, createCatalogHandler } from "@pintle/lifecycle";
 *
 * createServer(createCatalogHandler(new CatalogStore("served"))).listen(8083, "127.0.0.1");
 * ```
 */
export function createCatalogHandler(
  store: CatalogStore,
  options: CatalogHandlerOptions = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  const { path = "/catalogs", metas = true, onError = () => {}, boundary = createBoundary } = options;
  const base = path.endsWith("/") ? path.slice(0, -1) : path;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.setHeader("Vary", "Accept-Encoding");
    const [rawPath = "/", query = ""] = splitOnce(request.url ?? "/", "?");
    const clean = cleanPath(rawPath);
    if (clean !== rawPath) {
      const location = query === "" ? clean : `${clean}?${query}`;
      response.writeHead(307, { Location: location });
      return void response.end();
    }
    const [, name, endpoint] = rawPath.startsWith(`${base}/`)
      ? (/^([^/]+)\/api\/v1\/([a-z]+)$/.exec(rawPath.slice(base.length + 1)) ?? [])
      : [];
    if (name === undefined || !(endpoint === "all" || (endpoint === "metas" && metas)))
      return sendText(response, 404, "404 page not found");
    if (request.method !== "GET" && request.method !== "HEAD") return sendText(response, 405, "Method Not Allowed");
    const catalog = decode(name);
    const problem = findNameProblem(catalog);
    if (problem !== undefined) return sendText(response, 400, `invalid catalog name: ${problem}`);
    const parameters = new URLSearchParams(
      query
        .split("&")
        .filter((part) => !part.includes(";"))
        .join("&"),
    );
    if (endpoint === "metas" && [...parameters.keys()].some((key) => !QUERY_PARAMETERS.has(key))) {
      return sendText(response, 400, "400 Bad Request");
    }
    using content = store.open(catalog);
    if (content === undefined) return sendText(response, 404, "404 Not Found");
    response.setHeader("Last-Modified", content.modified.toUTCString());
    const status = checkPreconditions(request.method, request.headers, content.modified);
    if (status !== undefined) {
      if (status === 412 && endpoint === "all") response.setHeader("Content-Type", CONTENT_TYPE);
      response.writeHead(status);
      return void response.end();
    }
    if (endpoint === "all") await sendAll(request, response, content, boundary);
    else {
      const [schema, packageName, wanted] = ["schema", "package", "name"].map((key) => parameters.get(key) ?? "");
      const sections =
        schema === "" && packageName === "" && wanted === ""
          ? [{ offset: 0, length: content.size }]
          : content.index().find({ schema, package: packageName, name: wanted });
      await sendSections(request, response, content, sections);
    }
  };
  return (request, response) => {
    runInBackground(handle(request, response), (error: unknown) => {
      // A client that went away is no error.
      if (!response.destroyed || (error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") onError(error);
      if (response.headersSent) response.destroy();
      else sendText(response, 500, "500 Internal Server Error");
    });
  };
}

type Sections = Parameters<OpenCatalog["read"]>[0];

async function sendAll(request: IncomingMessage, response: ServerResponse, content: OpenCatalog, boundary: () => string): Promise<void> {
  const range = readRange(request.headers, content.modified, content.size);
  if (range === "unsatisfiable" || range === "invalid") {
    if (range === "unsatisfiable") response.setHeader("Content-Range", `bytes */${content.size}`);
    const why = range === "invalid" ? "invalid range" : "invalid range: failed to overlap";
    return sendText(response, 416, why);
  }
  response.setHeader("Content-Type", CONTENT_TYPE);
  const encoding = selectEncoding(request.method!, request.headers["accept-encoding"]);
  if (range !== "all") {
    response.setHeader("Accept-Ranges", "bytes");
    const [only, ...others] = range;
    if (only === undefined || others.length > 0) return sendParts(request, response, content, range, { encoding, boundary });
    response.setHeader("Content-Range", formatContentRange(only, content.size));
    response.setHeader("Content-Length", only.length);
    response.writeHead(206);
    return sendBody(request, response, content, [only]);
  }
  const isCompressed = encoding !== undefined && content.size >= MIN_COMPRESSED_BYTES;
  if (!isCompressed) {
    response.setHeader("Accept-Ranges", "bytes");
    response.setHeader("Content-Length", content.size);
  }
  await sendBody(request, response, content, [{ offset: 0, length: content.size }], isCompressed ? encoding : undefined);
}

function formatContentRange({ offset, length }: Sections[number], size: number): string {
  return `bytes ${offset}-${offset + length - 1}/${size}`;
}

function createBoundary(): string {
  return randomBytes(30).toString("hex");
}

/** Sends several ranges as the parts of one body, as `http.ServeContent` of Go does. */
async function sendParts(
  request: IncomingMessage,
  response: ServerResponse,
  content: OpenCatalog,
  ranges: Sections,
  options: { readonly encoding: ContentEncoding | undefined; readonly boundary: () => string },
): Promise<void> {
  const boundary = options.boundary();
  const heads = ranges.map((range, i) => {
    const fields = [`Content-Range: ${formatContentRange(range, content.size)}`, `Content-Type: ${CONTENT_TYPE}`];
    return `${i === 0 ? "" : "\r\n"}--${boundary}\r\n${fields.join("\r\n")}\r\n\r\n`;
  });
  const end = `\r\n--${boundary}--\r\n`;
  const size = ranges.reduce((sum, { length }, i) => sum + length + heads[i]!.length, end.length);
  const encoding = size < MIN_COMPRESSED_BYTES ? undefined : options.encoding;
  response.setHeader("Content-Type", `multipart/byteranges; boundary=${boundary}`);
  if (encoding === undefined) response.setHeader("Content-Length", size);
  else {
    // As the compression of catalogd does it.
    response.removeHeader("Accept-Ranges");
    response.setHeader("Content-Encoding", encoding);
  }
  response.writeHead(206);
  if (request.method === "HEAD") return void response.end();
  async function* readParts(): AsyncGenerator<Uint8Array> {
    for (const [i, range] of ranges.entries()) {
      yield Buffer.from(heads[i]!);
      yield* content.read([range]);
    }
    yield Buffer.from(end);
  }
  const body = Readable.from(readParts(), { objectMode: false });
  await (encoding === undefined ? pipeline(body, response) : pipeline(body, createCompressor(encoding), response));
}

async function sendSections(request: IncomingMessage, response: ServerResponse, content: OpenCatalog, sections: Sections): Promise<void> {
  response.setHeader("Content-Type", CONTENT_TYPE);
  const size = sections.reduce((sum, { length }) => sum + length, 0);
  const encoding = size < MIN_COMPRESSED_BYTES ? undefined : selectEncoding(request.method!, request.headers["accept-encoding"]);
  if (encoding === undefined && request.method !== "HEAD") response.setHeader("Content-Length", size);
  await sendBody(request, response, content, sections, encoding);
}

async function sendBody(
  request: IncomingMessage,
  response: ServerResponse,
  content: OpenCatalog,
  sections: Sections,
  encoding?: ContentEncoding,
): Promise<void> {
  if (request.method === "HEAD") return void response.end();
  const body = Readable.from(content.read(sections), { objectMode: false });
  if (encoding === undefined) return pipeline(body, response);
  response.setHeader("Content-Encoding", encoding);
  await pipeline(body, createCompressor(encoding), response);
}

/** Sends an error as Go's `http.Error` does. */
function sendText(response: ServerResponse, status: number, text: string): void {
  for (const name of ["Content-Encoding", "Content-Length", "Last-Modified"]) response.removeHeader(name);
  const body = `${text}\n`;
  response.writeHead(status, {
    "Content-Type": "text/plain; charset=utf-8",
    "X-Content-Type-Options": "nosniff",
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(body);
}

function splitOnce(text: string, separator: string): readonly [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** A path without empty segments, `.` and `..`, as Go's mux redirects to. */
function cleanPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") segments.pop();
    else segments.push(segment);
  }
  const trailing = path.endsWith("/") && segments.length > 0 ? "/" : "";
  return `/${segments.join("/")}${trailing}`;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** Why a name is not that of a catalog: it becomes a part of a path. */
function findNameProblem(name: string): string | undefined {
  const problems: string[] = [];
  if (Buffer.byteLength(name) > 253) problems.push("must be no more than 253 characters");
  if (!SUBDOMAIN.test(name)) problems.push(SUBDOMAIN_TEXT);
  return problems.length === 0 ? undefined : problems.join("; ");
}

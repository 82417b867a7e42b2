import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, systemClock } from "pintle/internal/clock";
import { runInBackground } from "pintle/internal/errors";
import { BodyTooLarge, createRequestGuard, readBoundedBody } from "pintle/internal/loopback";
import { digestOf, REGISTRY_LIMITS, RegistryContent, type RegistryLimits, type StoredRepository, type Upload } from "./registry-content.ts";

export interface RegistryServer extends AsyncDisposable {
  /** Host and port: "127.0.0.1:5000". */
  readonly host: string;
}
export interface RegistryServerOptions {
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** Default: `REGISTRY_LIMITS`. */
  readonly limits?: Partial<RegistryLimits> | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
}
type RegistryResponse = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | undefined;
};

const HOST = "127.0.0.1";
/** A repository name or a tag of the distribution API. */
const NAME = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/;
const MAX_NAME_LENGTH = 255;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

const errorResponse = (status: number, code: string, message: string): RegistryResponse => ({
  status,
  body: JSON.stringify({ errors: [{ code, message }] }),
  headers: { "content-type": "application/json" },
});

/**
 * Serves the OCI distribution API (push, pull, list) on the loopback interface over plain HTTP, from memory and without authentication.
 * Requests of web pages are refused, and what is kept is bounded.
 */
export async function startRegistryServer(options: RegistryServerOptions = {}): Promise<RegistryServer> {
  const { port = 0, clock = systemClock } = options;
  const limits = { ...REGISTRY_LIMITS, ...options.limits };
  const content = new RegistryContent(limits, clock);
  // Docker sends the chunks of an upload without a content type.
  const checkRequest = createRequestGuard({ host: HOST, untypedMethods: ["PATCH"] });

  async function handleRequest(request: IncomingMessage): Promise<RegistryResponse> {
    const refusal = checkRequest(request);
    if (refusal !== undefined) return errorResponse(refusal.status, refusal.status === 403 ? "DENIED" : "UNSUPPORTED", refusal.message);
    if (!URL.canParse(request.url ?? "/", "http://registry")) return errorResponse(400, "UNSUPPORTED", "invalid request target");
    const url = new URL(request.url ?? "/", "http://registry");
    if (url.pathname === "/v2/" || url.pathname === "/v2")
      return { status: 200, body: "{}", headers: { "content-type": "application/json" } };
    if (url.pathname === "/v2/_catalog") return listPage("repositories", [...content.repositories.keys()], url);
    const { name, what, rest } = parseRegistryPath(url.pathname);
    if (name === "" || what === undefined) return errorResponse(404, "UNSUPPORTED", `unknown path ${url.pathname}`);
    if (name.length > MAX_NAME_LENGTH || !NAME.test(name)) return errorResponse(400, "NAME_INVALID", `invalid repository name ${name}`);
    const repository = content.repositories.get(name);
    if (what === "tags/list") {
      return repository === undefined
        ? errorResponse(404, "NAME_UNKNOWN", `repository ${name} not found`)
        : listPage("tags", [...repository.tags.keys()], url, { name });
    }
    if (what === "manifests") return handleManifest(request, name, rest, repository);
    return what === "blobs" ? handleBlob(request, rest) : handleUpload(request, name, rest, url);
  }

  function listPage(field: string, names: readonly string[], { searchParams, pathname }: URL, more: object = {}): RegistryResponse {
    const sorted = [...names].sort();
    const last = searchParams.get("last");
    const after = last === null ? sorted : sorted.filter((name) => name > last);
    const count = Number(searchParams.get("n") ?? after.length);
    if (!Number.isInteger(count) || count < 0) return errorResponse(400, "PAGINATION_NUMBER_INVALID", "n must be a number of entries");
    const page = after.slice(0, count);
    const link =
      page.length < after.length ? { link: `<${pathname}?n=${count}&last=${encodeURIComponent(page.at(-1) ?? "")}>; rel="next"` } : {};
    return { status: 200, headers: { "content-type": "application/json", ...link }, body: JSON.stringify({ ...more, [field]: page }) };
  }

  async function handleManifest(
    request: IncomingMessage,
    name: string,
    reference: string,
    there: StoredRepository | undefined,
  ): Promise<RegistryResponse> {
    const isDigest = DIGEST.test(reference);
    if (!isDigest && !TAG.test(reference)) return errorResponse(400, "TAG_INVALID", `invalid tag or digest ${reference}`);
    if (request.method === "PUT") {
      const type = request.headers["content-type"];
      if (type === undefined) return errorResponse(415, "MANIFEST_INVALID", "a manifest needs a content type");
      const bytes = await receive(request, limits.manifestBytes);
      const refused = checkManifest(bytes, reference, there);
      if (refused !== undefined) {
        content.release(bytes.length);
        return refused;
      }
      const digest = content.putManifest(name, { type, bytes }, isDigest ? undefined : reference);
      return { status: 201, headers: { location: `/v2/${name}/manifests/${digest}`, "docker-content-digest": digest } };
    }
    const digest = isDigest ? reference : there?.tags.get(reference);
    const found = digest === undefined ? undefined : there?.manifests.get(digest);
    if (found === undefined || digest === undefined)
      return errorResponse(404, "MANIFEST_UNKNOWN", `manifest ${name}:${reference} not found`);
    if (request.method === "DELETE") {
      content.deleteManifest(name, reference);
      return { status: 202 };
    }
    if (!isRead(request)) return methodNotAllowed(request);
    return { status: 200, body: found.bytes, headers: { "content-type": found.type, "docker-content-digest": digest } };
  }

  function checkManifest(bytes: Buffer, reference: string, there: StoredRepository | undefined): RegistryResponse | undefined {
    const digest = digestOf(bytes);
    if (DIGEST.test(reference) && reference !== digest)
      return errorResponse(400, "DIGEST_INVALID", `the digest of the manifest is ${digest}`);
    const missing = referencedDigests(bytes).filter((each) => content.blob(each) === undefined && there?.manifests.has(each) !== true);
    return missing.length === 0
      ? undefined
      : errorResponse(404, "MANIFEST_BLOB_UNKNOWN", `referenced content must be pushed first: ${missing.join(", ")}`);
  }

  function handleBlob(request: IncomingMessage, digest: string): RegistryResponse {
    const bytes = content.blob(digest);
    if (bytes === undefined) return errorResponse(404, "BLOB_UNKNOWN", `blob ${digest} not found`);
    if (request.method === "DELETE") {
      content.deleteBlob(digest);
      return { status: 202 };
    }
    if (!isRead(request)) return methodNotAllowed(request);
    const headers = { "content-type": "application/octet-stream", "docker-content-digest": digest, "accept-ranges": "bytes" };
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
    if (from === undefined) return { status: 200, body: bytes, headers };
    const end = to === "" || to === undefined ? bytes.length - 1 : Math.min(Number(to), bytes.length - 1);
    if (Number(from) > end) return { status: 416, headers: { "content-range": `bytes */${bytes.length}` } };
    return {
      status: 206,
      body: bytes.subarray(Number(from), end + 1),
      headers: { ...headers, "content-range": `bytes ${from}-${end}/${bytes.length}` },
    };
  }

  async function handleUpload(request: IncomingMessage, name: string, id: string, { searchParams }: URL): Promise<RegistryResponse> {
    const [mount, digest] = [searchParams.get("mount"), searchParams.get("digest")];
    const uploadResponse = (of: Upload): RegistryResponse => ({
      status: 202,
      headers: { location: `/v2/${name}/blobs/uploads/${of.id}`, range: `0-${Math.max(0, of.size - 1)}`, "docker-upload-uuid": of.id },
    });
    const blobResponse = (of: string): RegistryResponse => ({
      status: 201,
      headers: { location: `/v2/${name}/blobs/${of}`, "docker-content-digest": of },
    });
    const isStart = request.method === "POST";
    if (isStart && mount !== null && content.blob(mount) !== undefined) return blobResponse(mount);
    const upload = isStart ? content.startUpload() : content.upload(id);
    if (upload === undefined)
      return isStart
        ? errorResponse(429, "TOOMANYREQUESTS", `more than ${limits.uploads} uploads are unfinished`)
        : errorResponse(404, "BLOB_UPLOAD_UNKNOWN", "upload not found: start a new one");
    if (request.method === "DELETE") {
      content.cancelUpload(upload.id);
      return { status: 204 };
    }
    if (isRead(request)) return { ...uploadResponse(upload), status: 204 };
    const [, from] = /^(\d+)-\d+$/.exec(request.headers["content-range"] ?? "") ?? [];
    if (from !== undefined && Number(from) !== upload.size) return { ...uploadResponse(upload), status: 416 };
    try {
      content.append(upload, await receive(request, limits.blobBytes - upload.size));
    } catch (error) {
      if (isStart || error instanceof BodyTooLarge) content.cancelUpload(upload.id);
      throw error;
    }
    if (request.method === "PATCH" || digest === null) return uploadResponse(upload);
    const actual = content.finishUpload(upload, digest);
    return actual === digest
      ? blobResponse(digest)
      : errorResponse(400, "DIGEST_INVALID", `the digest of the uploaded content is ${actual}`);
  }

  /** Reads a body and reserves its bytes. Nothing stays reserved if it fails. */
  async function receive(request: IncomingMessage, limit: number): Promise<Buffer> {
    let reserved = 0;
    try {
      return await readBoundedBody(request, limit, (bytes) => {
        if (!content.reserve(bytes)) return false;
        reserved += bytes;
        return true;
      });
    } catch (error) {
      content.release(reserved);
      throw error;
    }
  }

  const server = createServer((request, response) => {
    const sent = handleRequest(request)
      .catch((error: unknown) => {
        if (error instanceof BodyTooLarge) return errorResponse(413, "SIZE_INVALID", "the content is too large for this registry");
        throw error;
      })
      .then((given) => sendResponse(request, response, given));
    runInBackground(sent, () => response.destroy());
  });
  await new Promise<void>((resolve, reject) => server.on("error", reject).listen(port, HOST, resolve));
  return {
    host: `${HOST}:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const isRead = ({ method }: IncomingMessage) => method === "GET" || method === "HEAD";
const methodNotAllowed = ({ method }: IncomingMessage) => errorResponse(405, "UNSUPPORTED", `method ${method} is not supported here`);

/** Returns the digests that a manifest or index references. */
function referencedDigests(bytes: Buffer): readonly string[] {
  try {
    const {
      config,
      layers = [],
      manifests = [],
    } = JSON.parse(bytes.toString()) as { config?: { digest: string }; layers?: { digest: string }[]; manifests?: { digest: string }[] };
    return [...(config === undefined ? [] : [config]), ...layers, ...manifests].map(({ digest }) => digest);
  } catch {
    return [];
  }
}

function sendResponse(request: IncomingMessage, response: ServerResponse, { status, headers = {}, body = "" }: RegistryResponse): void {
  const length = status === 204 ? {} : { "content-length": String(Buffer.byteLength(body)) };
  // The rest of a refused body is not read: the connection cannot be used again.
  const close = request.complete ? {} : { connection: "close" };
  response.writeHead(status, { "docker-distribution-api-version": "registry/2.0", ...headers, ...length, ...close });
  response.end(request.method === "HEAD" || status === 204 ? undefined : body);
}

/** Splits "/v2/me/shop/blobs/uploads/1" into name, what ("blobs/uploads") and rest. Only names contain further slashes. */
function parseRegistryPath(pathname: string): { readonly name: string; readonly what: string | undefined; readonly rest: string } {
  const segments = pathname.replace(/^\/v2\//, "").split("/");
  const [third, second, last = ""] = segments.slice(-3);
  const nameOf = (dropped: number) => segments.slice(0, -dropped).join("/");
  if (second === "tags" && last === "list") return { name: nameOf(2), what: "tags/list", rest: "" };
  if (third === "blobs" && second === "uploads") return { name: nameOf(3), what: "blobs/uploads", rest: last };
  if (second === "blobs" && last === "uploads") return { name: nameOf(2), what: "blobs/uploads", rest: "" };
  if (second === "manifests" || second === "blobs") return { name: nameOf(2), what: second, rest: last };
  return { name: "", what: undefined, rest: "" };
}

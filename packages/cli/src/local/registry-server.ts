import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface RegistryServer extends AsyncDisposable {
  /** "127.0.0.1:5000" */
  readonly host: string;
}
interface Manifest {
  readonly type: string;
  readonly bytes: Buffer;
}
interface Repository {
  readonly manifests: Map<string, Manifest>;
  readonly tags: Map<string, string>;
}
type Answer = { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: Buffer | string | undefined };

const digestOf = (bytes: Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const refused = (status: number, code: string, message: string): Answer => ({
  status,
  body: JSON.stringify({ errors: [{ code, message }] }),
  headers: { "content-type": "application/json" },
});

/** The OCI distribution API on loopback, over plain HTTP, in memory: push, pull, list. Whoever is on this machine may use it. */
export async function registryServer(port = 0): Promise<RegistryServer> {
  const repositories = new Map<string, Repository>();
  // Content is the same wherever it is: repositories only name it.
  const blobs = new Map<string, Buffer>();
  const uploads = new Map<string, Buffer[]>();

  async function answer(request: IncomingMessage): Promise<Answer> {
    const url = new URL(request.url ?? "/", "http://registry");
    if (url.pathname === "/v2/" || url.pathname === "/v2")
      return { status: 200, body: "{}", headers: { "content-type": "application/json" } };
    if (url.pathname === "/v2/_catalog") return list("repositories", [...repositories.keys()], url);
    const [, name, what, rest = ""] = /^\/v2\/(.+?)\/(manifests|blobs\/uploads|blobs|tags\/list)\/?(.*)$/.exec(url.pathname) ?? [];
    if (name === undefined) return refused(404, "UNSUPPORTED", `there is nothing at ${url.pathname}`);
    const repository = repositories.get(name);
    if (what === "tags/list") {
      return repository === undefined
        ? refused(404, "NAME_UNKNOWN", `there is no ${name}`)
        : list("tags", [...repository.tags.keys()], url, { name });
    }
    if (what === "manifests") return manifests(request, name, rest, repository);
    return what === "blobs" ? blob(request, rest) : upload(request, name, rest, url);
  }

  function list(field: string, names: readonly string[], { searchParams, pathname }: URL, more: object = {}): Answer {
    const sorted = [...names].sort();
    const last = searchParams.get("last");
    const after = last === null ? sorted : sorted.filter((name) => name > last);
    const count = Number(searchParams.get("n") ?? after.length);
    const page = after.slice(0, count);
    const link =
      page.length < after.length ? { link: `<${pathname}?n=${count}&last=${encodeURIComponent(page.at(-1) ?? "")}>; rel="next"` } : {};
    return { status: 200, headers: { "content-type": "application/json", ...link }, body: JSON.stringify({ ...more, [field]: page }) };
  }

  async function manifests(request: IncomingMessage, name: string, reference: string, there: Repository | undefined): Promise<Answer> {
    if (request.method === "PUT") {
      const bytes = await bodyOf(request);
      const digest = digestOf(bytes);
      if (reference.startsWith("sha256:") && reference !== digest)
        return refused(400, "DIGEST_INVALID", `the manifest's digest is ${digest}`);
      const missing = namedIn(bytes).filter((each) => !blobs.has(each) && there?.manifests.has(each) !== true);
      if (missing.length > 0) return refused(404, "MANIFEST_BLOB_UNKNOWN", `${missing.join(", ")} must be pushed first`);
      const repository = there ?? { manifests: new Map(), tags: new Map() };
      repositories.set(name, repository);
      repository.manifests.set(digest, { type: request.headers["content-type"] ?? "application/json", bytes });
      if (!reference.startsWith("sha256:")) repository.tags.set(reference, digest);
      return { status: 201, headers: { location: `/v2/${name}/manifests/${digest}`, "docker-content-digest": digest } };
    }
    const digest = reference.startsWith("sha256:") ? reference : there?.tags.get(reference);
    const found = digest === undefined ? undefined : there?.manifests.get(digest);
    if (found === undefined || digest === undefined) return refused(404, "MANIFEST_UNKNOWN", `there is no ${name}:${reference}`);
    if (request.method === "DELETE") {
      if (reference.startsWith("sha256:")) there!.manifests.delete(digest);
      for (const [tag, of] of there!.tags) if (tag === reference || (of === digest && reference === digest)) there!.tags.delete(tag);
      return { status: 202 };
    }
    return { status: 200, body: found.bytes, headers: { "content-type": found.type, "docker-content-digest": digest } };
  }

  function blob(request: IncomingMessage, digest: string): Answer {
    const bytes = blobs.get(digest);
    if (bytes === undefined) return refused(404, "BLOB_UNKNOWN", `there is no ${digest}`);
    if (request.method === "DELETE") {
      blobs.delete(digest);
      return { status: 202 };
    }
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

  async function upload(request: IncomingMessage, name: string, id: string, { searchParams }: URL): Promise<Answer> {
    const [mount, digest] = [searchParams.get("mount"), searchParams.get("digest")];
    const at = (of: string, size: number): Answer => ({
      status: 202,
      headers: { location: `/v2/${name}/blobs/uploads/${of}`, range: `0-${Math.max(0, size - 1)}`, "docker-upload-uuid": of },
    });
    const stored = (of: string): Answer => ({ status: 201, headers: { location: `/v2/${name}/blobs/${of}`, "docker-content-digest": of } });
    if (request.method === "POST" && mount !== null && blobs.has(mount)) return stored(mount);
    const fresh = request.method === "POST" ? randomUUID() : id;
    if (request.method === "POST") uploads.set(fresh, []);
    const parts = uploads.get(fresh);
    if (parts === undefined) return refused(404, "BLOB_UPLOAD_UNKNOWN", "there is no such upload: begin again");
    const size = () => parts.reduce((sum, part) => sum + part.length, 0);
    if (request.method === "DELETE") {
      uploads.delete(fresh);
      return { status: 204 };
    }
    if (request.method === "GET") return { ...at(fresh, size()), status: 204 };
    const [, from] = /^(\d+)-\d+$/.exec(request.headers["content-range"] ?? "") ?? [];
    if (from !== undefined && Number(from) !== size()) return { ...at(fresh, size()), status: 416 };
    parts.push(await bodyOf(request));
    if (request.method === "PATCH" || digest === null) return at(fresh, size());
    uploads.delete(fresh);
    const bytes = Buffer.concat(parts);
    if (digestOf(bytes) !== digest) return refused(400, "DIGEST_INVALID", `what came has the digest ${digestOf(bytes)}`);
    blobs.set(digest, bytes);
    return stored(digest);
  }

  const server = createServer((request, response) => {
    answer(request).then(
      (given) => send(request, response, given),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** What a manifest or an index needs to be there. */
function namedIn(bytes: Buffer): readonly string[] {
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

function send(request: IncomingMessage, response: ServerResponse, { status, headers = {}, body = "" }: Answer): void {
  const length = status === 204 ? {} : { "content-length": String(Buffer.byteLength(body)) };
  response.writeHead(status, { "docker-distribution-api-version": "registry/2.0", ...headers, ...length });
  response.end(request.method === "HEAD" || status === 204 ? undefined : body);
}

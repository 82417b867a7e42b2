import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createCertificateAuthority } from "pintle/tls";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { createBlob, MEDIA_TYPES } from "../blob.ts";
import { isRelated } from "./authorize.ts";
import { findRegistryLogin } from "./credentials.ts";
import { openRepository, parseImageReference } from "./index.ts";
import { resolveLocation } from "./registry-http.ts";

const folder = mkdtempSync(path.join(tmpdir(), "pintle-login-"));
const signal = AbortSignal.timeout(30_000);
const blob = createBlob(MEDIA_TYPES.layer, Buffer.from("layer"));
const BASIC = `Basic ${Buffer.from("me:hunter2").toString("base64")}`;

/** A server that records what it was sent. */
async function serve(
  respond: (seen: IncomingMessage, send: (status: number, headers?: Record<string, string>, body?: string) => void) => void,
) {
  const seen: { readonly method: string; readonly url: string; readonly authorization: string | undefined }[] = [];
  const listener: RequestListener = (request, response) => {
    seen.push({ method: request.method!, url: request.url!, authorization: request.headers.authorization });
    request.resume().on("end", () => respond(request, (status, headers = {}, body = "") => response.writeHead(status, headers).end(body)));
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { seen, port, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: async () => void server.close().closeAllConnections() };
}
const open = (port: number) => openRepository(parseImageReference(`127.0.0.1:${port}/team/shop:1`), { insecure: true, signal });
const login = (...hosts: string[]) => {
  const auth = Buffer.from("me:hunter2").toString("base64");
  writeFileSync(path.join(folder, "config.json"), JSON.stringify({ auths: Object.fromEntries(hosts.map((host) => [host, { auth }])) }));
};

beforeEach(() => void vi.stubEnv("DOCKER_CONFIG", folder));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test("an upload whose location is another host is sent there without credentials, and its challenge is not answered", async () => {
  await using other = await serve((_, send) => send(401, { "www-authenticate": "Basic" }));
  await using registry = await serve(({ method, headers }, send) => {
    if (headers.authorization === undefined) return send(401, { "www-authenticate": "Basic" });
    if (method === "POST") return send(202, { location: `${other.url}/upload?id=1` });
    send(404);
  });
  login(`127.0.0.1:${registry.port}`);
  await expect(open(registry.port).upload(blob)).rejects.toThrow(/cannot upload sha256:.*: 401/);
  expect(registry.seen.at(-1)).toMatchObject({ method: "POST", authorization: BASIC });
  expect(other.seen).toEqual([{ method: "PUT", url: `/upload?id=1&digest=${encodeURIComponent(blob.digest)}`, authorization: undefined }]);
});

test("a refusal says whether a login is missing or not accepted", async () => {
  await using registry = await serve((_, send) => send(401, { "www-authenticate": "Basic" }));
  login();
  await expect(open(registry.port).has("blobs", blob.digest)).rejects.toThrow(/: 401 Unauthorized\. Log in with 'docker login 127/);
  login(`127.0.0.1:${registry.port}`);
  await expect(open(registry.port).has("blobs", blob.digest)).rejects.toThrow(/The stored login of me is not accepted: log in with/);
});

test("a token server that never stops answering is not read to the end", async () => {
  await using registry = await serve(({ url, headers }, send) => {
    if (url!.startsWith("/token")) return send(200, {}, `{"token":"${"t".repeat(5 << 20)}"}`);
    send(401, { "www-authenticate": `Bearer realm="http://${headers.host}/token"` });
  });
  await expect(open(registry.port).has("blobs", blob.digest)).rejects.toThrow(/larger than 4 MiB/);
});

test("redirects to another host are followed without credentials; within the registry with them", async () => {
  await using other = await serve((_, send) => send(200, {}, "layer"));
  await using registry = await serve(({ url, headers }, send) => {
    if (headers.authorization === undefined) return send(401, { "www-authenticate": "Basic" });
    if (url!.endsWith("moved")) return send(307, { location: `${other.url}/blob` });
    send(307, { location: "moved" });
  });
  login(`127.0.0.1:${registry.port}`);
  expect(Buffer.from(await open(registry.port).blob(blob).bytes()).toString()).toBe("layer");
  expect(registry.seen.map(({ authorization }) => authorization)).toEqual([undefined, BASIC, BASIC]);
  expect(other.seen).toEqual([{ method: "GET", url: "/blob", authorization: undefined }]);
});

test("endless redirects, and redirects that would drop a body, end with an error", async () => {
  await using registry = await serve(({ method }, send) => send(method === "PUT" ? 302 : 307, { location: "/again" }));
  await expect(open(registry.port).has("blobs", blob.digest)).rejects.toThrow(/PINTLE7077|redirected 6 times/);
  await expect(open(registry.port).putManifest(blob, "1")).rejects.toThrow(/PUT was redirected 1 times/);
});

test("a login is sent to the token server of the registry", async () => {
  await using registry = await serve(({ url, headers }, send) => {
    if (url!.startsWith("/token")) return send(200, { "content-type": "application/json" }, '{"token":"t"}');
    if (headers.authorization === "Bearer t") return send(200);
    const realm = `http://127.0.0.1:${registry.port}/token`;
    send(401, { "www-authenticate": `Bearer realm="${realm}",service="s",scope="repository:team/shop:pull"` });
  });
  login(`127.0.0.1:${registry.port}`);
  expect(await open(registry.port).has("blobs", blob.digest)).toBe(true);
  expect(registry.seen[1]).toMatchObject({ url: "/token?service=s&scope=repository%3Ateam%2Fshop%3Apull", authorization: BASIC });
});

test.each([
  ["http://127.0.0.1:1/token", /names the token server "http:\/\/127\.0\.0\.1:1\/token", which is not a URL with https/],
  ["https://127.0.0.1:1/token", /asks for your login at 127\.0\.0\.1:1, which is another domain/],
  ["http://localhost:1/token", /names the token server "http:\/\/localhost:1\/token", which is not a URL with https/],
  ["https://evil.example.com/token", /asks for your login at evil\.example\.com, which is another domain/],
  ["https://user:password@127.0.0.1/token", /is not a URL with https/],
  ["file:///etc/passwd", /is not a URL with https/],
  ["/token", /is not a URL with https/],
])("a login is not sent to the token server %s", async (realm, message) => {
  await using registry = await serve((_, send) => send(401, { "www-authenticate": `Bearer realm="${realm}"` }));
  login(`127.0.0.1:${registry.port}`);
  await expect(open(registry.port).has("blobs", blob.digest)).rejects.toThrow(expect.objectContaining({ code: "PINTLE7083" }));
  await expect(open(registry.port).has("blobs", blob.digest)).rejects.toThrow(message);
});

test("a token server does not redirect a login", async () => {
  await using other = await serve((_, send) => send(200, {}, "{}"));
  await using registry = await serve(({ url }, send) => {
    if (url === "/token") return send(302, { location: `${other.url}/` });
    if (url!.startsWith("/token?")) return send(302, { location: `${other.url}/` });
    send(401, { "www-authenticate": `Bearer realm="http://127.0.0.1:${registry.port}/token"` });
  });
  login(`127.0.0.1:${registry.port}`);
  await expect(open(registry.port).has("blobs", blob.digest)).rejects.toThrow(/cannot get a token/);
  expect(other.seen).toEqual([]);
});

test.each([
  ["registry-1.docker.io", "auth.docker.io", true],
  ["ghcr.io", "ghcr.io", true],
  ["registry.gitlab.com", "gitlab.com", true],
  ["git.example.com:5050", "git.example.com", true],
  ["quay.io", "auth.quay.io", true],
  ["registry.corp.example.com", "sso.corp.example.com", true],
  ["registry-1.docker.io", "docker.io.evil.com", false],
  ["registry-1.docker.io", "evildocker.io", false],
  ["ghcr.io", "evil.io", false],
  ["shop.co.uk", "evil.co.uk", false],
  ["shop.com.au", "evil.com.au", false],
  ["localhost", "evil.localhost.com", false],
  ["localhost:5000", "localhost:5001", false],
  ["127.0.0.1:5000", "127.0.0.1:5001", false],
  ["127.0.0.1", "10.0.0.1", false],
  ["10.0.0.1", "1.0.0.1", false],
  ["[::1]", "[::2]", false],
])("the token server of %s at %s is related: %s", (registry, realm, expected) => {
  expect(isRelated(new URL(`https://${registry}`), new URL(`https://${realm}/token`))).toBe(expected);
});

test("a location must not lead from https to http, carry a login, or be something else", () => {
  const at = (location: string, base = "https://ghcr.io/v2/") => resolveLocation(location, new URL(base), { registry: "ghcr.io" }).href;
  expect(at("/v2/a")).toBe("https://ghcr.io/v2/a");
  expect(at("https://blobs.example.com/a")).toBe("https://blobs.example.com/a");
  expect(at("http://127.0.0.1:1/a", "http://127.0.0.1:2/")).toBe("http://127.0.0.1:1/a");
  for (const location of ["http://ghcr.io/a", "http://169.254.169.254/", "https://me:pw@ghcr.io/", "file:///etc/passwd", "http://"])
    expect(() => at(location)).toThrow(expect.objectContaining({ code: "PINTLE7083" }));
});

test.each(["evil.com#.ghcr.io/a:1", "ghcr.io\\.evil.com/a", "ghcr.io?.x/a", "me:pw@ghcr.io/a", "ghcr.io:999999/a", "a..b.io/x"])(
  "%s is not an image reference, or not one of ghcr.io",
  (text) => {
    expect(() => parseImageReference(text)).toThrow(/invalid image reference/);
  },
);

test("digests of manifests of others do not lead to other paths", async () => {
  await using registry = await serve((_, send) => send(200));
  const { manifest, blob: read } = open(registry.port);
  await expect(manifest("../../other/manifests/1")).rejects.toThrow(/invalid tag or digest/);
  await expect(read({ ...blob, digest: "sha256:../../token" }).bytes()).rejects.toThrow(/invalid tag or digest/);
  expect(registry.seen).toEqual([]);
});

test("logins of Podman are found, that for the longest path first", async () => {
  const entry = (password: string) => ({ auth: Buffer.from(`me:${password}`).toString("base64") });
  const file = path.join(folder, "auth.json");
  const auths = { "quay.example": entry("host"), "quay.example/team": entry("team"), "quay.example/team/shop": entry("shop") };
  writeFileSync(file, JSON.stringify({ auths }));
  const passwordOf = (repository: string, env: Record<string, string>) => findRegistryLogin("quay.example", repository, env)?.password;
  const named = { REGISTRY_AUTH_FILE: file };
  expect(["team/shop", "team/cart", "teams/shop", ""].map((each) => passwordOf(each, named))).toEqual(["shop", "team", "host", "host"]);
  mkdirSync(path.join(folder, "containers"), { recursive: true });
  writeFileSync(path.join(folder, "containers/auth.json"), JSON.stringify({ auths: { "quay.example": entry("run") } }));
  expect(passwordOf("a/b", { DOCKER_CONFIG: path.join(folder, "none"), XDG_RUNTIME_DIR: folder })).toBe("run");
  expect(passwordOf("a/b", { DOCKER_CONFIG: path.join(folder, "none"), XDG_CONFIG_HOME: folder })).toBe("run");
  writeFileSync(path.join(folder, "config.json"), JSON.stringify({ auths: { "quay.example": entry("docker") } }));
  expect(passwordOf("a/b", { DOCKER_CONFIG: folder, XDG_RUNTIME_DIR: folder })).toBe("docker");
});

test("a registry with its own authority is trusted by SSL_CERT_FILE or certs.d, and only there", async () => {
  const authority = createCertificateAuthority("registry authority", Date.now());
  const { certificate, key } = authority.issueServerCertificate({ commonName: "localhost" }, ["localhost"]);
  const manifest = JSON.stringify({ schemaVersion: 2, mediaType: MEDIA_TYPES.manifest, config: blob, layers: [] });
  const server = createHttpsServer({ cert: certificate, key }, (_, response) => {
    response.writeHead(200, { "content-type": MEDIA_TYPES.manifest }).end(manifest);
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const { port } = server.address() as AddressInfo;
  const read = () => openRepository(parseImageReference(`localhost:${port}/team/shop:1`), { signal }).manifest("1");
  await expect(read()).rejects.toThrow(
    /Name the certificate of its authority in SSL_CERT_FILE, or put it into .*certs\.d\/localhost:\d+\/ca\.crt/,
  );
  const file = path.join(folder, "ca.pem");
  writeFileSync(file, authority.certificate);
  vi.stubEnv("SSL_CERT_FILE", file);
  expect((await read()).text).toBe(manifest);
  vi.stubEnv("SSL_CERT_FILE", path.join(folder, "none.pem"));
  await expect(read()).rejects.toThrow(/cannot read .*none\.pem, which SSL_CERT_FILE names: ENOENT/);
  vi.stubEnv("SSL_CERT_FILE", "");
  mkdirSync(path.join(folder, `containers/certs.d/localhost:${port}`), { recursive: true });
  writeFileSync(path.join(folder, `containers/certs.d/localhost:${port}/ca.crt`), authority.certificate);
  await expect(read()).rejects.toThrow(/certificate/);
  vi.stubEnv("XDG_CONFIG_HOME", folder);
  expect((await read()).text).toBe(manifest);
  server.close();
  server.closeAllConnections();
});

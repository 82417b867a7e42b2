import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import { type ClusterAccess, ConfigError, ConnectionError, CredentialsError, connect, Unauthorized } from "../../src/client/index.ts";
import { ConfigMap, configMap, ref } from "./kinds.ts";
import { certificate, sendJson, sendStatus, testServer } from "./server.ts";

const clientName = (request: IncomingMessage) => (request.socket as TLSSocket).getPeerCertificate().subject?.CN;
const echo = (request: IncomingMessage, response: ServerResponse) =>
  sendJson(response, configMap("a", { headers: request.rawHeaders, cert: clientName(request) }));
const client = (access: ClusterAccess, options = {}) => connect({ access, timeout: 5000, ...options });

/** Every value of a header, as it stood on the wire. */
const valuesOf = (raw: unknown, name: string) => (raw as string[]).filter((_, i, all) => i % 2 === 1 && all[i - 1]?.toLowerCase() === name);

describe("client credentials", () => {
  it("are a client certificate, inline or from files that are replaced", async () => {
    await using server = await testServer(echo, { askForCertificates: true });
    const folder = await mkdtemp(join(tmpdir(), "pintle-credentials-"));
    try {
      const [cert, key] = [join(folder, "crt"), join(folder, "key")];
      await writeFile(cert, certificate("client.crt"));
      await writeFile(key, certificate("client.key"));
      const clock = { time: 0, now: () => clock.time, sleep: async () => {} };
      const files = await client({ ...server.access, user: { clientCertificate: { file: cert }, clientKey: { file: key } } }, { clock });
      expect((await files.get(ConfigMap, ref))["cert"]).toBe("alice");

      await writeFile(cert, certificate("client-2.crt"));
      await writeFile(key, certificate("client-2.key"));
      expect((await files.get(ConfigMap, ref))["cert"]).toBe("alice");
      clock.time += 61_000;
      expect((await files.get(ConfigMap, ref))["cert"]).toBe("bob");
      await files.close();

      const inline = await client({
        ...server.access,
        user: { clientCertificate: { data: certificate("client.crt") }, clientKey: { data: certificate("client.key") } },
      });
      expect((await inline.get(ConfigMap, ref))["cert"]).toBe("alice");
      await inline.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("are a token with impersonation headers and a user agent", async () => {
    await using server = await testServer(echo);
    const impersonate = { user: "jane", uid: "7", groups: ["dev", "ops"], extra: { "example.com/scope": ["a", "b"] } };
    const asking = await client({ ...server.access, user: { token: "t" } }, { impersonate, userAgent: "test/1" });
    const { headers } = await asking.get(ConfigMap, ref);
    expect(valuesOf(headers, "authorization")).toEqual(["Bearer t"]);
    expect(valuesOf(headers, "impersonate-user")).toEqual(["jane"]);
    expect(valuesOf(headers, "impersonate-uid")).toEqual(["7"]);
    expect(valuesOf(headers, "impersonate-group")).toEqual(["dev", "ops"]);
    expect(valuesOf(headers, "impersonate-extra-example.com%2fscope")).toEqual(["a", "b"]);
    expect(valuesOf(headers, "user-agent")).toEqual(["test/1"]);
    await asking.close();
  });

  it("of an exec plugin are renewed once for all requests that got a 401", async () => {
    const folder = await mkdtemp(join(tmpdir(), "pintle-plugin-"));
    const log = join(folder, "runs");
    const script = `
      const fs = require("node:fs");
      fs.appendFileSync(${JSON.stringify(log)}, "x");
      const token = "t" + fs.readFileSync(${JSON.stringify(log)}, "utf8").length;
      console.log(JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status: { token } }));`;
    const apiVersion = "client.authentication.k8s.io/v1" as const;
    const exec = {
      apiVersion,
      command: process.execPath,
      args: ["-e", script],
      env: {},
      provideClusterInfo: false,
      interactiveMode: "Never" as const,
    };
    let good = "Bearer t1";
    await using server = await testServer((request, response) =>
      request.headers.authorization === good ? sendJson(response, configMap("a")) : sendStatus(response, 401, "Unauthorized"),
    );
    try {
      const asking = await client({ ...server.access, user: { exec } });
      await asking.get(ConfigMap, ref);
      good = "Bearer t2";
      await Promise.all(Array.from({ length: 10 }, () => asking.get(ConfigMap, ref)));
      good = "Bearer never";
      await expect(asking.get(ConfigMap, ref)).rejects.toThrow(Unauthorized);
      await asking.close();
      const broken = await client({ ...server.access, user: { exec: { ...exec, args: ["-e", "process.exit(1)"] } } });
      await expect(broken.get(ConfigMap, ref)).rejects.toThrow(CredentialsError);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("without an alternative are not sent again after a 401", async () => {
    await using server = await testServer((_, response) => sendStatus(response, 401, "Unauthorized"));
    const asking = await client({ ...server.access, user: { token: "t" } });
    await expect(asking.get(ConfigMap, ref)).rejects.toThrow(/does not accept these credentials/);
    expect(server.requests).toHaveLength(1);
    await asking.close();
  });
});

describe("server identity", () => {
  const request = async (access: ClusterAccess) => {
    const asking = await client(access);
    try {
      return await asking.get(ConfigMap, ref).catch((error) => error);
    } finally {
      await asking.close();
    }
  };

  it("must be signed by the configured certificate authority", async () => {
    await using server = await testServer(echo);
    const error = await request({ ...server.access, ca: { data: certificate("other-ca.crt") } });
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.mayHaveReachedServer).toBe(false);
    expect(error.message).toMatch(/certificate that the configured certificate authority did not sign/);
    expect(server.requests).toHaveLength(0);
    expect(await request({ ...server.access, ca: { data: certificate("other-ca.crt") }, insecureSkipTlsVerify: true })).toMatchObject({
      kind: "ConfigMap",
    });
  });

  it("must match the host name or tlsServerName", async () => {
    await using server = await testServer(echo, { name: "stranger" });
    expect((await request(server.access)).message).toMatch(/certificate for another name: set tls-server-name/);
    expect(await request({ ...server.access, tlsServerName: "kubernetes.default.svc" })).toMatchObject({ kind: "ConfigMap" });
    expect((await request({ ...server.access, tlsServerName: "elsewhere" })).message).toMatch(/certificate for another name/);
  });

  it("may have a path prefix", async () => {
    await using server = await testServer((request, response) => sendJson(response, configMap("a", { url: request.url })));
    expect(await request({ ...server.access, server: `${server.access.server}/k8s/clusters/c-1/` })).toMatchObject({
      url: "/k8s/clusters/c-1/api/v1/namespaces/default/configmaps/a",
    });
  });

  it.each([
    [{ server: "not a url" }, /is not a URL/],
    [{ server: "ftp://a" }, /neither https nor http/],
    [{ server: "https://a", proxyUrl: "socks5://b:1080" }, /proxies of kind "socks5" are not supported, only http and https/],
  ])("is refused for %o", async (access, message) => {
    await expect(client(access)).rejects.toThrow(ConfigError);
    await expect(client(access)).rejects.toThrow(message);
  });
});

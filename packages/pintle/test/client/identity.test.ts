import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import { type Access, ConfigError, ConnectionError, CredentialsError, connect, Unauthorized } from "../../src/client/index.ts";
import { ConfigMap, configMap, ref } from "./kinds.ts";
import { certificate, sendJson, sendStatus, testServer } from "./server.ts";

const who = (request: IncomingMessage) => (request.socket as TLSSocket).getPeerCertificate().subject?.CN;
const echo = (request: IncomingMessage, response: ServerResponse) =>
  sendJson(response, configMap("a", { headers: request.rawHeaders, cert: who(request) }));
const client = (access: Access, options = {}) => connect({ access, timeout: 5000, ...options });

/** Every value of a header, as it stood on the wire. */
const valuesOf = (raw: unknown, name: string) => (raw as string[]).filter((_, i, all) => i % 2 === 1 && all[i - 1]?.toLowerCase() === name);

describe("who is asking", () => {
  it("is a client certificate, inline or from files", async () => {
    await using server = await testServer(echo, { askForCertificates: true });
    const folder = await mkdtemp(join(tmpdir(), "pintle-identity-"));
    try {
      const [cert, key] = [join(folder, "crt"), join(folder, "key")];
      await writeFile(cert, certificate("client.crt"));
      await writeFile(key, certificate("client.key"));
      const clock = { time: 0, now: () => clock.time, sleep: async () => {} };
      const files = await client({ ...server.access, user: { cert: { file: cert }, key: { file: key } } }, { timing: clock });
      expect((await files.get(ConfigMap, ref))["cert"]).toBe("alice");

      await writeFile(cert, certificate("client-2.crt"));
      await writeFile(key, certificate("client-2.key"));
      expect((await files.get(ConfigMap, ref))["cert"]).toBe("alice");
      clock.time += 61_000;
      expect((await files.get(ConfigMap, ref))["cert"]).toBe("bob");
      await files.close();

      const inline = await client({
        ...server.access,
        user: { cert: { data: certificate("client.crt") }, key: { data: certificate("client.key") } },
      });
      expect((await inline.get(ConfigMap, ref))["cert"]).toBe("alice");
      await inline.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("is a token, in the name of someone else, with a name of our own", async () => {
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

  it("is asked of a plugin once more when the server says 401, once for all who were refused", async () => {
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

  it("is not asked again when there is nothing else to say", async () => {
    await using server = await testServer((_, response) => sendStatus(response, 401, "Unauthorized"));
    const asking = await client({ ...server.access, user: { token: "t" } });
    await expect(asking.get(ConfigMap, ref)).rejects.toThrow(/does not accept these credentials/);
    expect(server.requests).toHaveLength(1);
    await asking.close();
  });
});

describe("who is answering", () => {
  const ask = async (access: Access) => {
    const asking = await client(access);
    try {
      return await asking.get(ConfigMap, ref).catch((error) => error);
    } finally {
      await asking.close();
    }
  };

  it("has to be signed by the configured authority", async () => {
    await using server = await testServer(echo);
    const error = await ask({ ...server.access, ca: { data: certificate("other-ca.crt") } });
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.mayHaveReached).toBe(false);
    expect(error.message).toMatch(/certificate that the configured certificate authority did not sign/);
    expect(server.requests).toHaveLength(0);
    expect(await ask({ ...server.access, ca: { data: certificate("other-ca.crt") }, insecure: true })).toMatchObject({ kind: "ConfigMap" });
  });

  it("has to have the right name, which may be another than the host's", async () => {
    await using server = await testServer(echo, { name: "stranger" });
    expect((await ask(server.access)).message).toMatch(/certificate for another name: set tls-server-name/);
    expect(await ask({ ...server.access, serverName: "kubernetes.default.svc" })).toMatchObject({ kind: "ConfigMap" });
    expect((await ask({ ...server.access, serverName: "elsewhere" })).message).toMatch(/certificate for another name/);
  });

  it("may live below a path", async () => {
    await using server = await testServer((request, response) => sendJson(response, configMap("a", { url: request.url })));
    expect(await ask({ ...server.access, server: `${server.access.server}/k8s/clusters/c-1/` })).toMatchObject({
      url: "/k8s/clusters/c-1/api/v1/namespaces/default/configmaps/a",
    });
  });

  it.each([
    [{ server: "not a url" }, /is not a URL/],
    [{ server: "ftp://a" }, /neither https nor http/],
    [{ server: "https://a", proxy: "socks5://b:1080" }, /proxies of kind "socks5" are not supported, only http and https/],
  ])("cannot be %o", async (access, message) => {
    await expect(client(access)).rejects.toThrow(ConfigError);
    await expect(client(access)).rejects.toThrow(message);
  });
});

import { createServer as createHttp, type IncomingMessage } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, connect as connectTcp } from "node:net";
import type { Duplex } from "node:stream";
import { describe, expect, it } from "vitest";
import { ConnectionError, connect } from "../../src/client/index.ts";
import { ConfigMap, configMap, ref } from "./kinds.ts";
import { certificate, sendJson, testServer } from "./server.ts";

/** A proxy that opens tunnels for clients with the right password. */
async function testProxy(kind: "http" | "https", password?: string) {
  const tunnels: string[] = [];
  const proxy = kind === "http" ? createHttp() : createHttps({ cert: certificate("server.crt"), key: certificate("server.key") });
  const open = new Set<Duplex>();
  proxy.on("connect", (request: IncomingMessage, near: Duplex) => {
    open.add(near);
    near.on("error", () => {});
    const expected = password === undefined ? undefined : `Basic ${Buffer.from(password).toString("base64")}`;
    if (request.headers["proxy-authorization"] !== expected) return near.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    tunnels.push(request.url!);
    const [host, port] = request.url!.split(":");
    const far = connectTcp(Number(port), host, () => {
      near.write("HTTP/1.1 200 OK\r\n\r\n");
      near.pipe(far).pipe(near);
    });
    far.on("error", () => near.destroy());
    open.add(far);
    return undefined;
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    url: `${kind}://${password === undefined ? "" : `${password}@`}localhost:${(proxy.address() as AddressInfo).port}`,
    tunnels,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

describe.each(["http", "https"] as const)("an %s proxy", (kind) => {
  it("tunnels requests, including client certificates, on reused connections", async () => {
    await using server = await testServer((request, response) =>
      sendJson(response, configMap("a", { auth: request.headers.authorization })),
    );
    await using proxy = await testProxy(kind);
    const client = await connect({ access: { ...server.access, proxyUrl: proxy.url, user: { token: "t" } } });
    for (let i = 0; i < 50; i++) expect((await client.get(ConfigMap, ref))["auth"]).toBe("Bearer t");
    expect(proxy.tunnels).toEqual([`127.0.0.1:${server.port}`]);
    await client.close();
  });

  it("gets the password of its URL", async () => {
    await using server = await testServer((_, response) => sendJson(response, configMap("a")));
    await using proxy = await testProxy(kind, "jane:secret");
    const client = await connect({ access: { ...server.access, proxyUrl: proxy.url } });
    await client.get(ConfigMap, ref);
    await client.close();
    const stranger = await connect({ access: { ...server.access, proxyUrl: proxy.url.replace("secret", "wrong") } });
    await expect(stranger.get(ConfigMap, ref)).rejects.toThrow(ConnectionError);
    await stranger.close();
  });

  it("that is not reachable causes a ConnectionError", async () => {
    await using server = await testServer(() => {});
    await using proxy = await testProxy(kind);
    await proxy[Symbol.asyncDispose]();
    const client = await connect({ access: { ...server.access, proxyUrl: proxy.url }, clock: { now: Date.now, sleep: async () => {} } });
    await expect(client.get(ConfigMap, ref)).rejects.toThrow(/refused the connection/);
    await client.close();
  });
});

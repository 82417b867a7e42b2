import { once } from "node:events";
import { createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cluster, startCluster } from "../../src/index.ts";
import { createMachineNode } from "./machine-node.ts";
import { createStreamFixtures } from "./stream-fixtures.ts";

/** The HTTP server of a pod behind the proxy of the API server. */
describe("the proxy subresource of a pod", () => {
  const page = createServer(async (incoming, response) => {
    const { method, url, headers } = incoming;
    response.writeHead(method === "DELETE" ? 410 : 200, { "x-own": "yes", "content-type": "application/json" });
    response.end(
      JSON.stringify({ method, url, body: await text(incoming), type: headers["content-type"], authorization: headers.authorization }),
    );
  });
  page.on("upgrade", (_request, socket: Duplex) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: shout\r\n\r\n");
    socket.on("data", (chunk: Buffer) => socket.write(chunk.toString().toUpperCase()));
    socket.on("end", () => socket.end());
  });
  let cluster: Cluster;
  let base: string;

  beforeAll(async () => {
    await once(page.listen(0, "127.0.0.1"), "listening");
    const { port } = page.address() as AddressInfo;
    cluster = await startCluster({ without: true, plainHttp: true });
    cluster.nodeStreams.register("machine", createMachineNode("."));
    await createStreamFixtures(cluster.transport);
    base = `${cluster.plainUrl}/api/v1/namespaces/default/pods/web:${port}/proxy`;
  });
  afterAll(async () => {
    await cluster.stop();
    page.close();
  });

  it.each([
    ["GET", "/a/b/?c=d%20e&f=1&f=2", undefined],
    ["POST", "/", "sent"],
    ["PUT", "/x%2Fy", "sent"],
  ])("forwards %s %s and returns the response", async (method, path, body) => {
    const answer = await fetch(base + path, {
      method,
      headers: { accept: "text/html", "content-type": "text/plain" },
      ...(body && { body }),
    });
    expect([answer.status, answer.headers.get("x-own")]).toEqual([200, "yes"]);
    const url = path.replace("%20", "+");
    expect(await answer.json()).toEqual({ method, url, body: body ?? "", type: "text/plain" });
  });

  it("returns error statuses unchanged, and HEAD without a body", async () => {
    expect((await fetch(`${base}/`, { method: "DELETE" })).status).toBe(410);
    const head = await fetch(`${base}/`, { method: "HEAD" });
    expect([head.status, head.headers.get("x-own"), await head.text()]).toEqual([200, "yes", ""]);
  });

  it("redirects to the path with a trailing slash", async () => {
    const answer = await fetch(`${base}?a=b`, { redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([301, `${new URL(base).pathname}/?a=b`]);
  });

  it("pipes an upgraded connection both ways", async () => {
    const asking = request(`${base}/`, { headers: { connection: "Upgrade", upgrade: "shout" } });
    asking.end();
    const [answer, socket] = (await once(asking, "upgrade")) as [{ readonly headers: Record<string, string> }, Duplex];
    expect(answer.headers["upgrade"]).toBe("shout");
    socket.write("hello");
    expect(String((await once(socket, "data"))[0])).toBe("HELLO");
    socket.end();
    await once(socket, "close");
  });

  it("reports an unreachable port", async () => {
    const answer = await fetch(base.replace(/:\d+\/proxy$/, ":1/proxy/"));
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { reason: "ServiceUnavailable", message: expect.stringContaining("ECONNREFUSED") },
    ]);
  });

  it("refuses streaming requests without an upgrade", async () => {
    const pod = `${cluster.plainUrl}/api/v1/namespaces/default/pods/web`;
    for (const what of ["exec?command=ls", "attach", "portforward"]) {
      const answer = await fetch(`${pod}/${what}`);
      expect([answer.status, await answer.json()]).toMatchObject([400, { message: "Upgrade request required" }]);
    }
    const socket = connect(Number(new URL(cluster.plainUrl).port), "127.0.0.1");
    socket.write(
      "GET /api/v1/namespaces/default/pods/web/exec?command=ls HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v9\r\n\r\n",
    );
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n[\s\S]*unable to negotiate protocol: client supports \[v9\]/);
  });
});

import { describe, expect, it } from "vitest";
import { connect } from "../../src/client/index.ts";
import { ConfigMap, configMap, ref } from "./kinds.ts";
import { sendJson, testServer } from "./server.ts";

describe("connections", () => {
  it("are reused: 500 sequential requests need one", async () => {
    await using server = await testServer((_, response) => sendJson(response, configMap("a")));
    const client = await connect({ access: server.access });
    for (let i = 0; i < 500; i++) await client.get(ConfigMap, ref);
    expect(server.connections).toBe(1);
    await client.close();
  });

  it("are as many as concurrent requests", async () => {
    await using server = await testServer((_, response) => sendJson(response, configMap("a")));
    const client = await connect({ access: server.access });
    for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 32 }, () => client.get(ConfigMap, ref)));
    expect(server.connections).toBeLessThanOrEqual(32);
    await Promise.all(Array.from({ length: 1000 }, () => client.get(ConfigMap, ref)));
    expect(server.connections).toBeLessThanOrEqual(64);
    await client.close();
  });

  it("of watches do not block other requests", async () => {
    await using server = await testServer((request, response) => {
      if (!request.url?.includes("watch=true")) return sendJson(response, configMap("a"));
      response
        .writeHead(200, { "content-type": "application/json" })
        .write(`${JSON.stringify({ type: "ADDED", object: configMap("a") })}\n`);
    });
    const client = await connect({ access: server.access });
    const watches = Array.from({ length: 100 }, () => client.watch(ConfigMap));
    for (const watch of watches) expect((await watch.next()).value).toMatchObject({ type: "ADDED" });
    expect(await client.get(ConfigMap, ref)).toMatchObject({ kind: "ConfigMap" });
    expect(server.connections).toBe(101);
    await Promise.all(watches.map((watch) => watch.return?.()));
    await client.close();
  });

  it("are closed by close(), after which requests fail", async () => {
    await using server = await testServer((_, response) => sendJson(response, configMap("a")));
    const client = await connect({ access: server.access });
    await client.get(ConfigMap, ref);
    await client.close();
    await expect(client.get(ConfigMap, ref)).rejects.toThrow("this client has been closed");
  });
});

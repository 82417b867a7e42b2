import { describe, expect, it } from "vitest";
import { type Client, connect } from "../../src/client/index.ts";
import { ConfigMap, configMap, ref } from "./kinds.ts";
import { sendJson, sendStatus, testServer } from "./server.ts";

const enough = new Error("enough");
const nextIteration = () => new Promise(setImmediate);

describe("an abort", () => {
  it.each<[string, Parameters<typeof testServer>[0], (client: Client, signal: AbortSignal) => Promise<unknown>]>([
    ["before a response", () => {}, (client, signal) => client.get(ConfigMap, ref, { signal })],
    ["of a write", () => {}, (client, signal) => client.create(ConfigMap, { metadata: ref }, { signal })],
    [
      "in the middle of a response",
      (_, response) => void response.writeHead(200).write("{"),
      (client, signal) => client.get(ConfigMap, ref, { signal }),
    ],
    [
      "of a quiet watch",
      (_, response) => response.writeHead(200).flushHeaders(),
      (client, signal) => client.watch(ConfigMap, { signal }).next(),
    ],
    [
      "between two attempts",
      (_, response) => sendStatus(response, 429, "TooManyRequests", { "retry-after": "20" }),
      (client, signal) => client.get(ConfigMap, ref, { signal }),
    ],
    [
      "of a wait",
      (request, response) => {
        if (request.url?.includes("watch")) response.writeHead(200).flushHeaders();
        else sendJson(response, { metadata: { resourceVersion: "1" }, items: [] });
      },
      (client, signal) => client.waitFor(ConfigMap, ref, () => true, { signal }),
    ],
  ])("%s rejects at once with the reason of the signal", async (_, handler, call) => {
    await using server = await testServer(handler);
    const client = await connect({ access: server.access });
    const controller = new AbortController();
    const called = call(client, controller.signal);
    const settled = called.catch((error) => error);
    while (server.requests.length === 0) await nextIteration();
    for (let i = 0; i < 20; i++) await nextIteration();
    controller.abort(enough);
    expect(await settled).toBe(enough);
    await client.close();
  });

  it("before the call sends no request", async () => {
    await using server = await testServer((_, response) => sendJson(response, configMap("a")));
    const client = await connect({ access: server.access });
    await expect(client.get(ConfigMap, ref, { signal: AbortSignal.abort(enough) })).rejects.toBe(enough);
    expect(server.requests).toHaveLength(0);
    await client.close();
  });

  it("while all connections are in use removes the request from the queue", async () => {
    const waiting: (() => void)[] = [];
    await using server = await testServer((_, response) => void waiting.push(() => sendJson(response, configMap("a"))));
    const client = await connect({ access: server.access });
    const busy = Array.from({ length: 64 }, () => client.get(ConfigMap, ref));
    while (waiting.length < 64) await nextIteration();
    const controller = new AbortController();
    const queued = client.get(ConfigMap, ref, { signal: controller.signal });
    controller.abort(enough);
    await expect(queued).rejects.toBe(enough);
    for (const respond of waiting) respond();
    await Promise.all(busy);
    const [late] = [client.get(ConfigMap, ref)];
    while (waiting.length < 65) await nextIteration();
    waiting[64]!();
    await late;
    expect(server.requests).toHaveLength(65);
    await client.close();
  });

  it("may be shared by any number of requests", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on("warning", onWarning);
    await using server = await testServer((_, response) => sendJson(response, configMap("a")));
    const client = await connect({ access: server.access });
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 100 }, () => client.get(ConfigMap, ref, { signal })));
    await nextIteration();
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
    await client.close();
  });

  it("does not affect the connections of other requests", async () => {
    await using server = await testServer((request, response) => {
      if (request.url?.endsWith("/slow")) return;
      sendJson(response, configMap("a"));
    });
    const client = await connect({ access: server.access });
    const controller = new AbortController();
    const slow = client.get(ConfigMap, { ...ref, name: "slow" }, { signal: controller.signal }).catch(() => {});
    await client.get(ConfigMap, ref);
    controller.abort(enough);
    await slow;
    await client.get(ConfigMap, ref);
    expect(server.connections).toBe(2);
    await client.close();
  });
});

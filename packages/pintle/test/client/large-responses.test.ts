import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { connect } from "../../src/client/index.ts";
import { ConfigMap, configMap, ref } from "./kinds.ts";
import { sendJson, testServer } from "./server.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const megabyte = 1024 * 1024;

describe("large bodies", () => {
  it("of a megabyte are sent and received unchanged", async () => {
    const data = { big: "ä".repeat(megabyte / 2) };
    await using server = await testServer((_, response, body) => response.writeHead(201, { "content-type": "application/json" }).end(body));
    const client = await connect({ access: server.access });
    const made = await client.create(ConfigMap, { metadata: ref, data });
    expect(made["data"]).toEqual(data);
    await client.close();
  });

  it("of a megabyte are received through a watch in chunks", async () => {
    const object = configMap("a", { data: { big: "ü".repeat(megabyte / 2) } });
    const line = Buffer.from(`${JSON.stringify({ type: "ADDED", object })}\n`);
    await using server = await testServer(async (_, response) => {
      for (let at = 0; at < line.length; at += 10_007) if (!response.write(line.subarray(at, at + 10_007))) await once(response, "drain");
      response.end(line);
    });
    const client = await connect({ access: server.access });
    const seen: unknown[] = [];
    for await (const event of client.watch(ConfigMap)) seen.push(event);
    expect(seen).toEqual([
      { type: "ADDED", object },
      { type: "ADDED", object },
    ]);
    await client.close();
  });

  it("of 50,000 objects are listed page by page in little memory", async () => {
    const total = 50_000;
    const filler = "x".repeat(1000);
    await using server = await testServer((request, response) => {
      const query = new URL(request.url!, "http://x").searchParams;
      const from = Number(query.get("continue") ?? 0);
      const to = Math.min(total, from + Number(query.get("limit")));
      const items = Array.from({ length: to - from }, (_, i) => ({ metadata: configMap(`c${from + i}`).metadata, data: { filler } }));
      sendJson(response, { metadata: { resourceVersion: "1", ...(to < total ? { continue: String(to) } : {}) }, items });
    });
    const client = await connect({ access: server.access });
    let seen = 0;
    const heap: number[] = [];
    for await (const { items } of client.listPages(ConfigMap, { pageSize: 1000 })) {
      seen += items.length;
      if (seen % 10_000 !== 0) continue;
      collectGarbage();
      heap.push(process.memoryUsage().heapUsed);
    }
    expect(seen).toBe(total);
    expect(Math.max(...heap) - heap[0]!).toBeLessThan(8 * megabyte);
    await client.close();
  });

  it("that arrive faster than they are read apply backpressure to the server", async () => {
    const line = `${JSON.stringify({ type: "ADDED", object: configMap("a", { data: { filler: "x".repeat(100_000) } }) })}\n`;
    const events = 1000;
    let written = 0;
    let blocked: (() => void) | undefined;
    const stalled = new Promise<void>((resolve) => {
      blocked = resolve;
    });
    await using server = await testServer(async (_, response) => {
      for (; written < events; written++) {
        if (response.write(line)) continue;
        const drained = once(response, "drain");
        const quiet = setTimeout(() => blocked?.(), 300);
        await drained;
        clearTimeout(quiet);
      }
      response.end();
    });
    const client = await connect({ access: server.access });
    const watch = client.watch(ConfigMap);
    await watch.next();
    await stalled;
    expect(written).toBeLessThan(events / 4);
    let seen = 1;
    for await (const _ of watch) seen++;
    expect(seen).toBe(events);
    await client.close();
  });
});

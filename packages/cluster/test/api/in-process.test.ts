import { ConnectionError, clientOver, Forbidden, NotFound } from "pintle/client";
import { ConfigMap } from "pintle/kinds/core/v1";
import { describe, expect, test } from "vitest";
import { startCluster } from "../../src/index.ts";
import { CONFIG_MAPS, startApi } from "./harness.ts";

test("pintle's client works on it as on any server", async () => {
  await using cluster = await startCluster({ without: true });
  const client = clientOver(cluster.transport);
  const made = await client.create(ConfigMap, { metadata: { name: "a", namespace: "default" }, data: { a: "1" } });
  expect(made.metadata.resourceVersion).toBeDefined();
  expect((await client.get(ConfigMap, { name: "a", namespace: "default" })).data).toEqual({ a: "1" });
  await expect(client.get(ConfigMap, { name: "b", namespace: "default" })).rejects.toThrow(NotFound);
});

test("acts as whom it is told to", async () => {
  await using cluster = await startCluster({ without: true });
  const eve = clientOver(cluster.transportAs({ name: "eve", groups: ["system:authenticated"] }));
  await expect(eve.get(ConfigMap, { name: "a", namespace: "default" })).rejects.toThrow(Forbidden);
});

describe("the transport", () => {
  test("leaves the caller's body alone and drops what JSON would", async () => {
    await using api = await startApi();
    const body = { metadata: { name: "a", labels: undefined }, data: { a: "1" } };
    const { body: made } = await api.send("POST", CONFIG_MAPS, body);
    expect(Object.isFrozen(body)).toBe(false);
    expect(made.metadata).not.toHaveProperty("labels");
  });

  test("ends a watch when its reader stops, or its signal aborts", async () => {
    await using api = await startApi();
    const { transport } = api.cluster;
    const abort = new AbortController();
    const query = { watch: "true" };
    const aborted = await transport.request({ method: "GET", path: CONFIG_MAPS, query, signal: abort.signal });
    const reading = (async () => {
      for await (const _ of aborted.lines());
    })();
    abort.abort();
    await reading;
    await api.send("POST", CONFIG_MAPS, { metadata: { name: "a" } });
    const broken = await transport.request({ method: "GET", path: CONFIG_MAPS, query });
    for await (const line of broken.lines()) {
      expect(line).toMatchObject({ type: "ADDED", object: { metadata: { name: "a" } } });
      break;
    }
    // A watch holds two timers, for bookmarks and its end: none is left.
    expect(api.clock.pending).toBe(0);
  });

  test("gives a watch's lines as bytes too", async () => {
    await using api = await startApi();
    await api.send("POST", CONFIG_MAPS, { metadata: { name: "a" } });
    const watch = await api.cluster.transport.request({ method: "GET", path: CONFIG_MAPS, query: { watch: "true" } });
    for await (const chunk of watch.bytes()) {
      expect(JSON.parse(Buffer.from(chunk).toString())).toMatchObject({ type: "ADDED" });
      break;
    }
  });

  test("refuses once it is closed", async () => {
    await using api = await startApi();
    const other = api.cluster.transportAs({ name: "x", groups: ["system:masters"] });
    await other.close();
    await expect(other.request({ method: "GET", path: "/version" })).rejects.toThrow(ConnectionError);
  });

  test("is closed with the cluster", async () => {
    const api = await startApi();
    await api.cluster.stop();
    await expect(api.send("GET", "/version")).rejects.toThrow("was closed");
  });
});

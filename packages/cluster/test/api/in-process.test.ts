import { ConnectionError, createClient, Forbidden, NotFound } from "pintle/client";
import { ConfigMap } from "pintle/kinds/core/v1";
import { describe, expect, test } from "vitest";
import { startCluster } from "../../src/index.ts";
import { CONFIG_MAPS, startTestApiServer } from "./harness.ts";

test("the in-process transport serves pintle's client", async () => {
  await using cluster = await startCluster({ without: true });
  const client = createClient(cluster.transport);
  const made = await client.create(ConfigMap, { metadata: { name: "a", namespace: "default" }, data: { a: "1" } });
  expect(made.metadata.resourceVersion).toBeDefined();
  expect((await client.get(ConfigMap, { name: "a", namespace: "default" })).data).toEqual({ a: "1" });
  await expect(client.get(ConfigMap, { name: "b", namespace: "default" })).rejects.toThrow(NotFound);
});

test("transportAs sends requests as the given user", async () => {
  await using cluster = await startCluster({ without: true });
  const eve = createClient(cluster.transportAs({ name: "eve", groups: ["system:authenticated"] }));
  await expect(eve.get(ConfigMap, { name: "a", namespace: "default" })).rejects.toThrow(Forbidden);
});

describe("the transport", () => {
  test("does not change the caller's body and omits undefined fields", async () => {
    await using api = await startTestApiServer();
    const body = { metadata: { name: "a", labels: undefined }, data: { a: "1" } };
    const { body: made } = await api.send("POST", CONFIG_MAPS, body);
    expect(Object.isFrozen(body)).toBe(false);
    expect(made.metadata).not.toHaveProperty("labels");
  });

  test("ends a watch when its reader returns or its signal aborts", async () => {
    await using api = await startTestApiServer();
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
    // A watch has two timers, for bookmarks and its timeout: both are cleared.
    expect(api.clock.pending).toBe(0);
  });

  test("returns the lines of a watch as bytes", async () => {
    await using api = await startTestApiServer();
    await api.send("POST", CONFIG_MAPS, { metadata: { name: "a" } });
    const watch = await api.cluster.transport.request({ method: "GET", path: CONFIG_MAPS, query: { watch: "true" } });
    for await (const chunk of watch.bytes()) {
      expect(JSON.parse(Buffer.from(chunk).toString())).toMatchObject({ type: "ADDED" });
      break;
    }
  });

  test("rejects requests after close()", async () => {
    await using api = await startTestApiServer();
    const other = api.cluster.transportAs({ name: "x", groups: ["system:masters"] });
    await other.close();
    await expect(other.request({ method: "GET", path: "/version" })).rejects.toThrow(ConnectionError);
  });

  test("is closed when the cluster stops", async () => {
    const api = await startTestApiServer();
    await api.cluster.stop();
    await expect(api.send("GET", "/version")).rejects.toThrow("was closed");
  });
});

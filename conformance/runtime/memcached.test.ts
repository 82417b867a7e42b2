import { type Manager, startManager } from "pintle";
import type { Client } from "pintle/client";
import { Deployment } from "pintle/kinds/apps/v1";
import { Pod } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Memcached, memcached } from "../../examples/memcached/src/memcached.ts";
import { full } from "../sampling.ts";
import { recordRequests } from "./request-log.ts";
import { EMBEDDED_SERVER, install, REAL_SERVER, type RuntimeServer } from "./servers.ts";

describe.each([REAL_SERVER, EMBEDDED_SERVER])("on %s", (_, begin) => {
  const isQuick = begin === EMBEDDED_SERVER[1];
  let server: RuntimeServer;
  let client: Client;
  beforeAll(async () => {
    server = await begin();
    client = await server.connect();
    await install(client, Memcached);
  });
  afterAll(async () => {
    await client?.close();
    await server?.stop();
  });

  async function operator(): Promise<Manager & { readonly requests: string[] }> {
    const { client, requests } = recordRequests(await server.connect());
    const manager = startManager({ controllers: [memcached], client });
    await manager.ready;
    return { ...manager, requests };
  }
  const at = (name: string) => ({ name, namespace: "default" });

  test("RT-56 the Memcached operator settles on a real API server, and sends no requests afterwards, also after a restart", async () => {
    const first = await operator();
    await client.apply(Memcached, { metadata: at("cache"), spec: { size: 3 } });
    const pods = async () => (await client.list(Pod, { namespace: "default", labels: { "cache.example.com/memcached": "cache" } })).items;
    const done = await client.waitFor(Memcached, at("cache"), (it) => it.status?.nodes?.length === 3, { timeout: 30_000 });
    expect(done.status?.nodes).toEqual((await pods()).map((pod) => pod.metadata.name).sort());
    expect(done.status?.conditions).toMatchObject([
      { type: "Available", status: "False", reason: "PodsPending", observedGeneration: 1 },
      { type: "Progressing", observedGeneration: 1 },
    ]);
    expect((await client.get(Deployment, at("cache"))).spec.replicas).toBe(3);
    expect(done.status).toMatchObject({ observedGeneration: 1 });
    // The deployment controller is done when its status is observed.
    await client.waitFor(
      Deployment,
      at("cache"),
      (it) => it.status.observedGeneration === it.metadata.generation && it.status.unavailableReplicas === 3,
    );
    await first.stop();

    const second = await operator();
    for (let i = 0; i < 20; i++) await client.patch(Memcached, at("cache"), { merge: { metadata: { labels: { poke: String(i) } } } });
    await client.patch(Deployment, at("cache"), { merge: { metadata: { labels: { theirs: "yes" } } } });
    await client.patch(Memcached, at("cache"), { merge: { spec: { size: 2 } } });
    await client.waitFor(Memcached, at("cache"), (it) => it.status?.nodes?.length === 2, { timeout: 30_000 });
    expect(second.requests.filter((line) => line.includes("deployments"))).toHaveLength(1);
    expect((await client.get(Deployment, at("cache"))).metadata.labels).toMatchObject({ theirs: "yes" });
    await second.stop();
  });

  test("kubectl scale works, and deletion removes every child", async () => {
    const running = await operator();
    await client.apply(Memcached, { metadata: at("scaled"), spec: { size: 1 } });
    await client.waitFor(Memcached, at("scaled"), (it) => it.status?.replicas === 1, { timeout: 30_000 });
    const scale = await client.scale.get(Memcached, at("scaled"));
    expect(scale).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 1, selector: "cache.example.com/memcached=scaled" } });
    await client.scale.patch(Memcached, at("scaled"), { merge: { spec: { replicas: 2 } } });
    await client.waitFor(Memcached, at("scaled"), (it) => it.status?.replicas === 2, { timeout: 30_000 });
    await client.delete(Memcached, at("scaled"));
    // The garbage collector discovers a new kind within half a minute; a sample does not wait that long.
    if (full || isQuick) await client.waitForDeletion(Deployment, at("scaled"), { timeout: 90_000 });
    await running.stop();
  });
});

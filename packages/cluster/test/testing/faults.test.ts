import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AlreadyExists, type Client, Conflict, ConnectionError, connect, Expired, ServerError, TooManyRequests } from "pintle/client";
import { ConfigMap } from "pintle/kinds/core/v1";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Cluster, type FaultRule, startCluster } from "../../src/index.ts";

const namespace = "default";
const ref = { name: "a", namespace };
let cluster: Cluster;
let folder: string;
const clients: Record<string, Client> = {};

beforeAll(async () => {
  cluster = await startCluster({ without: true, http: true });
  folder = await mkdtemp(join(tmpdir(), "pintle-faults-"));
  const kubeconfig = join(folder, "kubeconfig");
  await cluster.writeKubeconfig(kubeconfig);
  clients["in this process"] = cluster.client();
  clients["over HTTP"] = await connect({ kubeconfig, timeout: 5000 });
});
afterAll(async () => {
  await Promise.all(Object.values(clients).map((each) => each.close()));
  await cluster.stop();
  await rm(folder, { recursive: true });
});
afterEach(() => cluster.faults.clear());

/** Each client observes exactly the fault and recovers. */
describe.each(["in this process", "over HTTP"])("%s", (where) => {
  let client: Client;
  beforeEach(async () => {
    client = clients[where] as Client;
    await client.deleteCollection(ConfigMap, { namespace });
    await client.create(ConfigMap, { metadata: ref });
    cluster.journal.clear();
  });
  const change = () => client.patch(ConfigMap, ref, { merge: { data: { at: String(Math.random()) } } });
  const create = (name: string) => client.create(ConfigMap, { metadata: { name, namespace } });

  test("returns 409 to the second write only", async () => {
    using fault = cluster.faults.add({ on: { verb: "patch", resource: "configmaps", name: "a" }, nth: 2, do: { status: 409 } });
    await change();
    const error = await change().catch((e: unknown) => e);
    expect(error).toBeInstanceOf(Conflict);
    expect((error as Conflict).status).toMatchObject({
      code: 409,
      reason: "Conflict",
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: "a", kind: "configmaps" },
    });
    await change();
    expect(fault.hits).toBe(1);
    expect(cluster.journal.matching({ verb: "patch" }).map(({ code, fault: by }) => [code, by])).toEqual([
      [200, undefined],
      [409, '[{"status":409}]'],
      [200, undefined],
    ]);
  });

  test("matches the name of a created object", async () => {
    cluster.faults.add({ on: { verb: "create", name: "b" }, do: { status: 409 } });
    await create("c");
    await expect(create("b")).rejects.toThrow(AlreadyExists);
    expect(await client.find(ConfigMap, { name: "b", namespace })).toBeUndefined();
  });

  test("returns 500 with a custom message", async () => {
    cluster.faults.add({ on: { resource: "configmaps" }, times: 1, do: { status: 500, message: "etcdserver: leader changed" } });
    const error = await change().catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ServerError);
    expect((error as ServerError).status?.message).toBe("etcdserver: leader changed");
    await change();
  });

  test("returns 429 with retryAfter", async () => {
    // Longer than clients wait by default.
    cluster.faults.add({ on: { verb: "patch" }, times: 1, do: { status: 429, retryAfter: 3600 } });
    const error = await change().catch((e: unknown) => e);
    expect(error).toBeInstanceOf(TooManyRequests);
    expect((error as TooManyRequests).retryAfterSeconds).toBe(3600);
  });

  test("returns 410 to a list, and as an event to a watch", async () => {
    cluster.faults.add({ on: { verb: ["list", "watch"], resource: "configmaps" }, do: { status: 410 } });
    await expect(client.list(ConfigMap, { namespace })).rejects.toThrow(Expired);
    await expect(watchNames(1)).rejects.toThrow(Expired);
    expect(cluster.journal.matching({ verb: "list" }).map(({ code, reason }) => [code, reason])).toContainEqual([410, "Expired"]);
    expect(cluster.journal.matching({ verb: "watch" })).toMatchObject([{ code: 200 }]);
  });

  test("delays a response by the given latency", async () => {
    cluster.faults.add({ on: { verb: "patch" }, times: 1, do: { latency: 120 } });
    const started = performance.now();
    await change();
    expect(performance.now() - started).toBeGreaterThan(115);
  });

  test("cuts the connection before the request is executed", async () => {
    cluster.faults.add({ on: { verb: "create" }, times: 1, do: { cut: "before" } });
    await expect(create("b")).rejects.toThrow(ConnectionError);
    expect(cluster.journal.matching({ verb: "create" })).toMatchObject([{ code: 0 }]);
    await create("b");
  });

  test("cuts the connection in the middle of the response after the object is stored", async () => {
    cluster.faults.add({ on: { verb: "create" }, times: 1, do: { cut: "mid-response" } });
    await expect(create("b")).rejects.toThrow(ConnectionError);
    await expect(create("b")).rejects.toThrow(AlreadyExists);
  });

  /** Collects the types and values of `count` events. */
  async function watchNames(count: number, writes = 3, seen: string[] = []): Promise<readonly string[]> {
    const { resourceVersion } = (await client.list(ConfigMap, { namespace }).catch(() => ({ metadata: { resourceVersion: "1" } })))
      .metadata;
    const openWatch = async () => {
      for (let i = 1; i <= writes; i++) await client.patch(ConfigMap, ref, { merge: { data: { i: String(i) } } });
    };
    for await (const event of client.watch(ConfigMap, { namespace, resourceVersion, onOpen: () => void openWatch().catch(() => {}) })) {
      if (event.type === "BOOKMARK") continue;
      seen.push(event.object.data?.["i"] ?? "");
      if (seen.length === count) break;
    }
    return seen;
  }
  const onSecond = (fault: FaultRule["do"]): FaultRule =>
    ({ on: { verb: "watch", resource: "configmaps", name: "a", event: "MODIFIED" }, nth: 2, do: fault }) as FaultRule;

  test("duplicates an event", async () => {
    cluster.faults.add(onSecond({ duplicate: true }));
    expect(await watchNames(4)).toEqual(["1", "2", "2", "3"]);
  });

  test("drops an event", async () => {
    cluster.faults.add(onSecond({ drop: "event" }));
    expect(await watchNames(2)).toEqual(["1", "3"]);
  });

  test("cuts the watch in place of an event", async () => {
    cluster.faults.add(onSecond({ drop: "connection" }));
    const seen: string[] = [];
    await expect(watchNames(4, 3, seen)).rejects.toThrow(ConnectionError);
    expect(seen).toEqual(["1"]);
  });

  test("delays an event and keeps the order of later ones", async () => {
    cluster.faults.add(onSecond({ delay: 150 }));
    const started = performance.now();
    expect(await watchNames(3)).toEqual(["1", "2", "3"]);
    expect(performance.now() - started).toBeGreaterThan(145);
  });

  test("stalls the watch without ending it", async () => {
    const fault = cluster.faults.add(onSecond({ stall: true }));
    const seen: string[] = [];
    const watching = watchNames(4, 3, seen);
    await cluster.settled({ quiet: 200 });
    expect(fault.hits).toBe(1);
    expect(seen).toEqual(["1"]);
    // A restart ends the watch visibly.
    await cluster.restart();
    await expect(watching).rejects.toThrow(ConnectionError);
  });
});

test("injects faults by probability, reproducibly by seed", async () => {
  const client = cluster.client();
  const sendMatching = async () => {
    using fault = cluster.faults.add({ on: { verb: "get" }, probability: 0.3, seed: 5, do: { status: 500 } });
    const codes: boolean[] = [];
    for (let i = 0; i < 100; i++)
      codes.push(
        await client.find(ConfigMap, ref).then(
          () => false,
          () => true,
        ),
      );
    expect(fault.hits).toBe(codes.filter(Boolean).length);
    return codes;
  };
  const first = await sendMatching();
  expect(first.filter(Boolean).length).toBeGreaterThan(15);
  expect(first.filter(Boolean).length).toBeLessThan(45);
  expect(await sendMatching()).toEqual(first);
  await client.list(ConfigMap, { namespace });
});

test("applies to matching requests only", async () => {
  const jane = cluster.client({ user: { name: "jane", groups: ["system:masters"] } });
  cluster.faults.add({ on: { user: "jane" }, do: { status: 500 } });
  await expect(jane.find(ConfigMap, ref)).rejects.toThrow(ServerError);
  await cluster.client().find(ConfigMap, ref);
});

import { describe, expect, test } from "vitest";
import { createWriteThroughClient, type ObjectChange } from "../src/cache/index.ts";
import { seededRandom } from "../src/clock/index.ts";
import { ConfigMap, Node, Pod } from "../src/kinds/generated/core/v1.ts";
import { metadataOnly, optionalKind } from "../src/kinds/index.ts";
import { brokenConnection, statusResponse } from "./fakes/api-server.ts";
import { names, pod, setupCache } from "./fakes/cache.ts";

const formatChange = (change: ObjectChange<any>) => `${change.event} ${(change.new ?? change.old).metadata.name}`;

describe("reflector", () => {
  test("RT-13 a streaming list and, where it is not supported, a paged list give the same objects", async () => {
    for (const streaming of [true, false]) {
      const { server, cache, clock } = setupCache({ streaming });
      for (let i = 0; i < 1234; i++) server.put("pods", pod(`p${i}`));
      const pods = cache.watch(Pod);
      await clock.settle();
      expect(pods.list()).toHaveLength(1234);
      const lists = server.requests.filter((line) => line === "GET /api/v1/pods");
      expect(lists).toHaveLength(streaming ? 0 : 3);
      server.put("pods", pod("late"));
      await clock.settle();
      expect(pods.get({ name: "late", namespace: "d" })?.metadata.name).toBe("late");
    }
  });

  test("falls back to a paged list when the server twice ignores a streaming list", async () => {
    const { server, cache, clock } = setupCache();
    server.put("pods", pod("a"));
    server.intercept = (request) => {
      // Like a server that does not know the parameter: a plain watch from now on.
      if (request.query?.["sendInitialEvents"] !== "true") return undefined;
      (request.query as Record<string, string>)["sendInitialEvents"] = "";
      (request.query as Record<string, string>)["resourceVersion"] = "999999";
      return undefined;
    };
    const pods = cache.watch(Pod);
    await clock.advance(61_000);
    expect(names(pods.list())).toEqual(["a"]);
  });

  test("RT-10 a dropped watch resumes without a relist, a lost or a repeated event", async () => {
    const { server, cache, clock } = setupCache();
    const pods = cache.watch(Pod);
    const seen: string[] = [];
    pods.addEventHandler((change) => seen.push(formatChange(change)));
    await clock.advance(2_000);
    server.put("pods", pod("a"));
    await clock.settle();
    server.cut();
    server.put("pods", pod("b"));
    server.put("pods", pod("a", { labels: { x: "1" } }));
    await clock.settle();
    expect(seen).toEqual(["added a", "added b", "modified a"]);
    server.cut("error");
    server.remove("pods", "d", "a");
    await clock.advance(2_000);
    expect(seen.slice(3)).toEqual(["deleted a"]);
    const podRequests = server.requests.filter((line) => line.includes("/pods"));
    expect(podRequests).toHaveLength(3);
    expect(server.watches).toBe(1);
  });

  test("RT-11, RT-67 relists after 410 and reports objects deleted meanwhile with their last known state", async () => {
    for (const streaming of [true, false]) {
      const { server, cache, clock } = setupCache({ streaming });
      server.put("pods", pod("stays"));
      server.put("pods", pod("goes", { labels: { owner: "x" } }));
      server.put("pods", pod("changes"));
      const pods = cache.watch(Pod);
      const seen: ObjectChange<any>[] = [];
      await clock.settle();
      pods.addEventHandler((change) => seen.push(change));
      seen.length = 0;
      server.cut();
      server.remove("pods", "d", "goes");
      server.put("pods", pod("changes", { labels: { a: "b" } }));
      server.put("pods", pod("new"));
      server.compact();
      await clock.advance(5_000);
      expect(seen.map(formatChange).sort()).toEqual(["missed changes", "missed goes", "missed new"]);
      const gone = seen.find((change) => change.new === undefined)!;
      expect(gone.old.metadata.labels).toEqual({ owner: "x" });
      expect(names(pods.list())).toEqual(["changes", "new", "stays"]);
      // The problem is over, and still known.
      expect(cache.health()[0]).toMatchObject({
        relists: 1,
        problem: undefined,
        lastProblem: { problem: { type: "expired" }, age: expect.any(Number) },
      });
    }
  });

  test("RT-12 a watch resumes from the version of the last bookmark", async () => {
    const { server, cache, clock, problems } = setupCache();
    const pods = cache.watch(Pod);
    await clock.settle();
    for (let i = 0; i < 5; i++) server.put("configmaps", { ...pod(`c${i}`), kind: "ConfigMap" });
    for (let hour = 0; hour < 180; hour++) {
      server.bookmark();
      await clock.advance(60_000);
    }
    server.compact();
    server.bookmark();
    await clock.settle();
    server.cut();
    server.put("pods", pod("a"));
    await clock.advance(2_000);
    expect(names(pods.list())).toEqual(["a"]);
    expect(problems).toEqual([]);
    expect(server.requests).toHaveLength(2);
  });

  test("RT-54 a silent watch is detected and replaced within 75 s, and is not fresh until then", async () => {
    const { server, cache, clock } = setupCache();
    const pods = cache.watch(Pod);
    await clock.settle();
    server.cut("blackhole");
    let dark = true;
    server.intercept = (request) =>
      dark && request.query?.["watch"]
        ? new Promise((_, reject) => request.signal!.addEventListener("abort", () => reject(request.signal!.reason)))
        : undefined;
    server.put("pods", pod("unseen"));
    await clock.advance(60_000);
    expect(cache.health()[0]).toMatchObject({ isFresh: true, lastEventAge: 60_000, relists: 0, lastProblem: undefined });
    await clock.advance(16_000);
    expect(cache.health()[0]).toMatchObject({ isFresh: false, problem: { type: "silent" } });
    dark = false;
    await clock.advance(70_000);
    expect(cache.health()[0]).toMatchObject({ isFresh: true });
    expect(names(pods.list())).toEqual(["unseen"]);
    // Only the connection of the watch was dead:
    server.cut("blackhole");
    server.put("pods", pod("second"));
    await clock.advance(75_000);
    expect(names(pods.list())).toEqual(["second", "unseen"]);
  });

  test("RT-14 recovers after five minutes without a server, with capped and jittered backoff", async () => {
    const { server, cache, clock, problems } = setupCache();
    const pods = cache.watch(Pod);
    await clock.advance(2_000);
    const times: number[] = [];
    server.intercept = () => {
      times.push(clock.monotonic());
      throw brokenConnection("GET");
    };
    server.cut("error");
    server.put("pods", pod("a"));
    await clock.advance(300_000);
    const gaps = times.slice(1).map((at, i) => at - times[i]!);
    expect(gaps.length).toBeGreaterThan(8);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(60_000);
    expect(gaps.slice(-3).every((gap) => gap >= 30_000)).toBe(true);
    expect(new Set(gaps).size).toBe(gaps.length);
    expect(problems.at(-1)).toMatchObject({ type: "unreachable" });
    server.intercept = undefined;
    await clock.advance(61_000);
    expect(names(pods.list())).toEqual(["a"]);
    expect(problems.at(-1)).toBeUndefined();
    expect(server.requests.filter((line) => !line.endsWith("?watch"))).toHaveLength(0);
  });

  test("RT-14 waits for the Retry-After of a 429, without a relist", async () => {
    const { server, cache, clock } = setupCache();
    const pods = cache.watch(Pod);
    await clock.advance(2_000);
    let refused = 0;
    server.intercept = () => (refused++ < 1 ? statusResponse(429, "TooManyRequests", "slow down", { retryAfterSeconds: 20 }) : undefined);
    server.cut();
    server.put("pods", pod("a"));
    await clock.advance(19_000);
    expect(pods.list()).toEqual([]);
    await clock.advance(2_000);
    expect(names(pods.list())).toEqual(["a"]);
  });

  test("backs off when the server keeps responding 410", async () => {
    const { server, cache, clock } = setupCache();
    const pods = cache.watch(Pod);
    await clock.settle();
    server.intercept = () => statusResponse(410, "Expired");
    server.cut();
    await clock.advance(120_000);
    expect(server.requests.length).toBeLessThan(15);
    server.intercept = undefined;
    server.put("pods", pod("a"));
    await clock.advance(60_000);
    expect(names(pods.list())).toEqual(["a"]);
  });
});

describe("stored objects", () => {
  test("RT-16 namespaces, labels and fields are selected by the server", async () => {
    const { server, cache, clock } = setupCache({ namespaces: ["a", "b"] });
    for (const namespace of ["a", "b", "c"]) server.put("pods", pod(namespace, { labels: { app: "web" } }, namespace));
    server.put("nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, spec: {} });
    const all = cache.watch(Pod);
    const labelled = cache.watch(Pod, { namespaces: ["c"], labels: { app: "web" } });
    const one = cache.watch(Pod, { namespaces: ["c"], fields: "metadata.name=absent" });
    const nodes = cache.watch(Node);
    await clock.settle();
    expect([names(all.list()), names(labelled.list()), names(one.list()), names(nodes.list())]).toEqual([["a", "b"], ["c"], [], ["n"]]);
    expect(names(all.list({ namespace: "a" }))).toEqual(["a"]);
    expect(server.requests).toContain("GET /api/v1/namespaces/a/pods?watch");
    expect(server.requests).not.toContain("GET /api/v1/pods?watch");
  });

  test("RT-17, RT-66 managedFields are dropped and transforms run before objects are stored; one invalid object affects no other", async () => {
    const { server, cache, clock, objectErrors } = setupCache();
    server.put("pods", pod("a", { managedFields: [{ manager: "x" }], labels: { a: "b" } }));
    server.put("pods", pod("bad", { labels: { bad: "yes" } }));
    const plain = cache.watch(Pod);
    const slim = cache.watch(Pod, {
      transform(object) {
        if (object.metadata.labels?.["bad"]) throw new Error("cannot");
        return { ...object, spec: { containers: [] } };
      },
    });
    await clock.settle();
    expect(plain.get({ name: "a", namespace: "d" })?.metadata).not.toHaveProperty("managedFields");
    expect(slim.get({ name: "a", namespace: "d" })?.spec).toEqual({ containers: [] });
    // The invalid object is skipped and reported; the others are stored and the watch continues.
    expect(names(slim.list())).toEqual(["a"]);
    expect(objectErrors).toHaveLength(1);
    server.put("pods", pod("b"));
    await clock.settle();
    expect(names(slim.list())).toEqual(["a", "b"]);
  });

  test("RT-18 an index returns the exact set after creates, updates and deletes", async () => {
    const { server, cache, clock, objectErrors } = setupCache();
    const pods = cache.watch(Pod);
    pods.addIndex("node", (object) => {
      if (object.metadata.labels?.["bad"]) throw new Error("no node");
      return object.spec?.nodeName;
    });
    const random = seededRandom(7);
    const truth = new Map<string, string>();
    await clock.settle();
    for (let i = 0; i < 500; i++) {
      const [name, namespace, node] = [`p${Math.floor(random() * 30)}`, random() < 0.5 ? "d" : "e", `n${Math.floor(random() * 4)}`];
      if (random() < 0.3) {
        server.remove("pods", namespace, name);
        truth.delete(`${namespace}/${name}`);
      } else {
        server.put("pods", { ...pod(name, {}, namespace), spec: { nodeName: node } });
        truth.set(`${namespace}/${name}`, node);
      }
    }
    server.put("pods", pod("bad", { labels: { bad: "1" } }));
    await clock.settle();
    for (const node of ["n0", "n1", "n2", "n3"]) {
      const found = pods.byIndex("node", node).map((p) => `${p.metadata.namespace}/${p.metadata.name}`);
      expect(found.sort()).toEqual(
        [...truth]
          .filter(([, on]) => on === node)
          .map(([key]) => key)
          .sort(),
      );
    }
    expect(pods.get({ name: "bad", namespace: "d" })).toBeDefined();
    expect(objectErrors.length).toBeGreaterThan(0);
    expect(() => pods.byIndex("zone", "x")).toThrow(/no index zone/);
  });

  test("RT-19 objects read from the cache are frozen", async () => {
    const { server, cache, clock } = setupCache();
    server.put("pods", pod("a", { labels: { a: "b" } }));
    const pods = cache.watch(Pod);
    let handed: any;
    pods.addEventHandler((change) => {
      handed = change.new;
    });
    await clock.settle();
    expect(() => {
      handed.metadata.labels.a = "c";
    }).toThrow(TypeError);
    expect(() => {
      (pods.list()[0] as any).spec.nodeName = "x";
    }).toThrow(TypeError);
  });

  test("RT-36 a metadata-only view shares the informer of whole objects if there is one, else it requests metadata only", async () => {
    const { server, cache, clock } = setupCache();
    server.put("pods", pod("a"));
    cache.watch(Pod);
    const slim = cache.watch(metadataOnly(Pod));
    const alone = cache.watch(metadataOnly(ConfigMap));
    await clock.settle();
    expect(names(slim.list())).toEqual(["a"]);
    expect(server.requests.filter((line) => line.includes("/pods"))).toHaveLength(1);
    server.put("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", namespace: "d" }, data: { x: "y" } });
    await clock.settle();
    expect(alone.list()[0]).not.toHaveProperty("data");
  });
});

describe("views", () => {
  test("RT-15 views of the same kind and scope share one watch; a handler that throws affects no other", async () => {
    const { server, cache, clock, objectErrors } = setupCache();
    const first = cache.watch(Pod);
    const second = cache.watch(Pod);
    const seen: string[] = [];
    first.addEventHandler(() => {
      throw new Error("mine alone");
    });
    second.addEventHandler((change) => seen.push(formatChange(change)));
    await clock.settle();
    server.put("pods", pod("a"));
    await clock.settle();
    expect(server.requests).toHaveLength(1);
    expect(seen).toEqual(["added a"]);
    expect(objectErrors).toHaveLength(1);
  });

  test("RT-38 a watch stops with its last view, and can be started again", async () => {
    const { server, cache, clock } = setupCache();
    const [first, second] = [cache.watch(Pod), cache.watch(Pod)];
    await clock.settle();
    await first.close();
    await first.close();
    expect(server.watches).toBe(1);
    await second.close();
    await clock.settle();
    expect(server.watches).toBe(0);
    server.put("pods", pod("a"));
    const third = cache.watch(Pod);
    await clock.settle();
    expect(names(third.list())).toEqual(["a"]);
  });

  test("RT-38 watched namespaces can be changed at run time", async () => {
    const { server, cache, clock } = setupCache();
    for (const namespace of ["a", "b", "c"]) server.put("pods", pod(`p-${namespace}`, {}, namespace));
    const pods = cache.watch(Pod, { namespaces: ["a"] });
    const seen: string[] = [];
    await clock.settle();
    pods.addEventHandler((change) => seen.push(formatChange(change)));
    await pods.setNamespaces(["b", "c"]);
    await pods.waitForSync();
    expect(names(pods.list())).toEqual(["p-b", "p-c"]);
    expect(seen.sort()).toEqual(["listed p-a", "listed p-b", "listed p-c", "missed p-a"]);
    expect(server.watches).toBe(2);
  });

  test("a handler that is added late first receives the stored objects", async () => {
    const { server, cache, clock } = setupCache();
    server.put("pods", pod("a"));
    const pods = cache.watch(Pod);
    await clock.settle();
    const seen: string[] = [];
    const off = pods.addEventHandler((change) => seen.push(formatChange(change)));
    off();
    server.put("pods", pod("b"));
    await clock.settle();
    expect(seen).toEqual(["listed a"]);
  });

  test("RT-35 reading a kind that is not watched throws NotWatched with advice", async () => {
    const { cache } = setupCache();
    expect(() => cache.getLister(Pod)).toThrow(/Pod is not watched here: list it in `owns` or `watches`/);
  });

  test("RT-33, RT-35, RT-74 a forbidden watch reports the missing verb, and recovers when it is granted", async () => {
    const { server, cache, clock, problems } = setupCache();
    const message = 'pods is forbidden: User "op" cannot watch resource "pods" in API group "" at the cluster scope';
    server.intercept = () => statusResponse(403, "Forbidden", message);
    const pods = cache.watch(Pod);
    await clock.settle();
    expect(() => pods.list()).toThrow(/Pod has not been listed yet.*not allowed to watch pods: grant get, list and watch/s);
    expect(problems.at(-1)).toMatchObject({ type: "forbidden" });
    expect(cache.health()[0]).toMatchObject({ isSynced: false, isFresh: false });
    server.intercept = undefined;
    await clock.advance(5_000);
    expect(pods.list()).toEqual([]);
  });

  test("RT-38 an optional kind is empty until its CRD is created, then watched, and empty after the CRD is deleted", async () => {
    const serves = new Set<string>();
    const { server, cache, clock } = setupCache({ serves });
    const pods = cache.watch(optionalKind(Pod));
    const must = cache.watch(Node);
    await clock.advance(60_000);
    expect(pods.list()).toEqual([]);
    expect(() => must.list()).toThrow(/does not serve nodes in v1: is its CRD installed/);
    serves.add("pods");
    server.put("pods", pod("a"));
    await clock.advance(10_000);
    expect(names(pods.list())).toEqual(["a"]);
    const seen: string[] = [];
    pods.addEventHandler((change) => seen.push(formatChange(change)));
    serves.delete("pods");
    server.cut();
    await clock.advance(10_000);
    expect(pods.list()).toEqual([]);
    expect(seen).toEqual(["listed a", "missed a"]);
    expect(cache.health()[0]).toMatchObject({ isFresh: true });
  });
});

describe("read-your-writes", () => {
  test("RT-55 a write is readable at once, however late its watch event", async () => {
    const { server, cache, client, clock } = setupCache();
    const pods = cache.watch(Pod);
    await clock.settle();
    const writer = createWriteThroughClient(client, cache, "me");
    const origins: unknown[] = [];
    pods.addEventHandler((change) => origins.push(change.origin));
    server.holdEvents(true);
    let created = 0;
    for (let i = 0; i < 1000; i++) {
      const name = `p${i % 10}`;
      if (pods.get({ name, namespace: "d" }) === undefined) {
        await writer.create(Pod, { metadata: { name, namespace: "d" }, spec: { containers: [] } });
        created++;
      }
    }
    expect(created).toBe(10);
    expect(names(pods.list())).toHaveLength(10);
    await writer.patch(Pod, { name: "p1", namespace: "d" }, { merge: { metadata: { labels: { a: "b" } } } });
    expect(names(pods.list({ labels: { a: "b" } }))).toEqual(["p1"]);
    await writer.delete(Pod, { name: "p2", namespace: "d" });
    expect(pods.get({ name: "p2", namespace: "d" })).toBeUndefined();
    expect(cache.health()[0]?.pendingWrites).toBe(10);
    server.holdEvents(false);
    await clock.settle();
    // The watch events of own writes notify no handler.
    expect(origins).toEqual(Array.from({ length: 12 }, () => "me"));
    expect(pods.get({ name: "p2", namespace: "d" })).toBeUndefined();
    expect(cache.health()[0]?.pendingWrites).toBe(0);
  });

  test("RT-34 a write is not undone by an older event or an older relist", async () => {
    const { server, cache, client, clock } = setupCache({ streaming: false });
    server.put("pods", pod("a"));
    const pods = cache.watch(Pod);
    await clock.settle();
    const writer = createWriteThroughClient(client, cache);
    server.holdEvents(true);
    await writer.patch(Pod, { name: "a", namespace: "d" }, { merge: { metadata: { labels: { by: "me" } } } });
    server.put("pods", pod("a", { labels: { by: "stranger" } }));
    expect(pods.get({ name: "a", namespace: "d" })?.metadata.labels).toEqual({ by: "me" });
    server.holdEvents(false);
    await clock.settle();
    expect(pods.get({ name: "a", namespace: "d" })?.metadata.labels).toEqual({ by: "stranger" });

    // The response of a list from before the write arrives after it.
    const old = { status: 200, body: { metadata: { resourceVersion: String(server.revision) }, items: [server.get("pods", "d", "a")] } };
    let answer: ((_: typeof old) => void) | undefined;
    server.compact();
    server.cut();
    server.intercept = (request) =>
      request.method !== "GET" || request.query?.["watch"]
        ? undefined
        : new Promise((resolve) => {
            answer = resolve as typeof answer;
          });
    await clock.advance(5_000);
    server.intercept = undefined;
    await writer.create(Pod, { metadata: { name: "newer", namespace: "d" }, spec: { containers: [] } });
    const undone: string[] = [];
    pods.addEventHandler((change) => change.event === "missed" && undone.push(formatChange(change)));
    answer!(old);
    await clock.advance(5_000);
    expect(undone).toEqual([]);
    expect(names(pods.list())).toEqual(["a", "newer"]);
  });

  test("RT-34 a write outside the selector is not stored, and an object that leaves the selector is removed", async () => {
    const { server, cache, client, clock } = setupCache();
    const mine = cache.watch(Pod, { namespaces: ["d"], labels: { app: "mine" } });
    await clock.settle();
    const writer = createWriteThroughClient(client, cache);
    const body = (name: string, app: string, namespace = "d") => ({
      metadata: { name, namespace, labels: { app } },
      spec: { containers: [] },
    });
    await writer.create(Pod, body("a", "other"));
    await writer.create(Pod, body("b", "mine"));
    await writer.create(Pod, body("c", "mine", "elsewhere"));
    expect(names(mine.list())).toEqual(["b"]);
    server.holdEvents(true);
    await writer.patch(Pod, { name: "b", namespace: "d" }, { merge: { metadata: { labels: { app: "other" } } } });
    expect(mine.list()).toEqual([]);
    server.holdEvents(false);
    await clock.settle();
    expect(mine.list()).toEqual([]);
  });

  test("RT-34 a write that the watch passes without showing is removed", async () => {
    const { server, cache, clock } = setupCache();
    const pods = cache.watch(Pod);
    await clock.settle();
    const ghost = { ...pod("ghost", { uid: "u", resourceVersion: String(server.revision + 1), creationTimestamp: "" }) };
    expect(cache.recordWrite(Pod, ghost)).toBe(true);
    expect(names(pods.list())).toEqual(["ghost"]);
    server.put("pods", pod("other"));
    server.put("pods", pod("another"));
    await clock.settle();
    expect(names(pods.list())).toEqual(["another", "other"]);
  });

  test("a deletion that finalizers delay is an update, not a deletion", async () => {
    const { server, cache, client, clock } = setupCache();
    server.put("pods", pod("a", { finalizers: ["x"] }));
    const pods = cache.watch(Pod);
    await clock.settle();
    await createWriteThroughClient(client, cache).delete(Pod, { name: "a", namespace: "d" });
    expect(pods.get({ name: "a", namespace: "d" })?.metadata.deletionTimestamp).toBeDefined();
  });
});

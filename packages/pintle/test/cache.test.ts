import { describe, expect, test } from "vitest";
import { type Change, writesThrough } from "../src/cache/index.ts";
import { ConfigMap, Node, Pod } from "../src/kinds/generated/core/v1.ts";
import { meta, optional } from "../src/kinds/index.ts";
import { seeded } from "../src/queue/index.ts";
import { cached, names, pod } from "./tiny/cached.ts";
import { broken, refusal } from "./tiny/server.ts";

const told = (change: Change<any>) => `${change.event} ${(change.new ?? change.old).metadata.name}`;

describe("following a kind", () => {
  test("c-r 7.13 a streaming list where the server has it, pages where it has not: the same objects", async () => {
    for (const streaming of [true, false]) {
      const { server, local, clock } = cached({ streaming });
      for (let i = 0; i < 1234; i++) server.put("pods", pod(`p${i}`));
      const pods = local.watch(Pod);
      await clock.settle();
      expect(pods.list()).toHaveLength(1234);
      const lists = server.requests.filter((line) => line === "GET /api/v1/pods");
      expect(lists).toHaveLength(streaming ? 0 : 3);
      server.put("pods", pod("late"));
      await clock.settle();
      expect(pods.get({ name: "late", namespace: "d" })?.metadata.name).toBe("late");
    }
  });

  test("a server that ignores the request for a streaming list is listed after two silences", async () => {
    const { server, local, clock } = cached();
    server.put("pods", pod("a"));
    server.intercept = (request) => {
      // As servers older than the parameter do: a plain watch from now on.
      if (request.query?.["sendInitialEvents"] !== "true") return undefined;
      (request.query as Record<string, string>)["sendInitialEvents"] = "";
      (request.query as Record<string, string>)["resourceVersion"] = "999999";
      return undefined;
    };
    const pods = local.watch(Pod);
    await clock.advance(61_000);
    expect(names(pods.list())).toEqual(["a"]);
  });

  test("c-r 7.10 a dropped watch goes on where it was: no relist, nothing lost, nothing twice", async () => {
    const { server, local, clock } = cached();
    const pods = local.watch(Pod);
    const seen: string[] = [];
    pods.on((change) => seen.push(told(change)));
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
    const asked = server.requests.filter((line) => line.includes("/pods"));
    expect(asked).toHaveLength(3);
    expect(server.watches).toBe(1);
  });

  test("c-r 7.11, idea 14 after 410 everything is listed again, and what went meanwhile is told with its last known state", async () => {
    for (const streaming of [true, false]) {
      const { server, local, clock } = cached({ streaming });
      server.put("pods", pod("stays"));
      server.put("pods", pod("goes", { labels: { owner: "x" } }));
      server.put("pods", pod("changes"));
      const pods = local.watch(Pod);
      const seen: Change<any>[] = [];
      await clock.settle();
      pods.on((change) => seen.push(change));
      seen.length = 0;
      server.cut();
      server.remove("pods", "d", "goes");
      server.put("pods", pod("changes", { labels: { a: "b" } }));
      server.put("pods", pod("new"));
      server.compact();
      await clock.advance(5_000);
      expect(seen.map(told).sort()).toEqual(["missed changes", "missed goes", "missed new"]);
      const gone = seen.find((change) => change.new === undefined)!;
      expect(gone.old.metadata.labels).toEqual({ owner: "x" });
      expect(names(pods.list())).toEqual(["changes", "new", "stays"]);
    }
  });

  test("c-r 7.12 bookmarks move the place to go on from", async () => {
    const { server, local, clock, problems } = cached();
    const pods = local.watch(Pod);
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

  test("idea 1 a watch that went silent is noticed and replaced within 75 s; readiness is false in between", async () => {
    const { server, local, clock } = cached();
    const pods = local.watch(Pod);
    await clock.settle();
    server.cut("blackhole");
    let dark = true;
    server.intercept = (request) =>
      dark && request.query?.["watch"]
        ? new Promise((_, reject) => request.signal!.addEventListener("abort", () => reject(request.signal!.reason)))
        : undefined;
    server.put("pods", pod("unseen"));
    await clock.advance(60_000);
    expect(local.health()[0]).toMatchObject({ fresh: true, age: 60_000 });
    await clock.advance(16_000);
    expect(local.health()[0]).toMatchObject({ fresh: false, problem: { type: "silent" } });
    dark = false;
    await clock.advance(70_000);
    expect(local.health()[0]).toMatchObject({ fresh: true });
    expect(names(pods.list())).toEqual(["unseen"]);
    // And when only the one connection was dead:
    server.cut("blackhole");
    server.put("pods", pod("second"));
    await clock.advance(75_000);
    expect(names(pods.list())).toEqual(["second", "unseen"]);
  });

  test("c-r 7.14 five minutes without a server: capped, jittered waits, then everything is there again by itself", async () => {
    const { server, local, clock, problems } = cached();
    const pods = local.watch(Pod);
    await clock.advance(2_000);
    const times: number[] = [];
    server.intercept = () => {
      times.push(clock.monotonic());
      throw broken("GET");
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

  test("c-r 7.14 429 is waited out for as long as the server says, without a relist", async () => {
    const { server, local, clock } = cached();
    const pods = local.watch(Pod);
    await clock.advance(2_000);
    let refused = 0;
    server.intercept = () => (refused++ < 1 ? refusal(429, "TooManyRequests", "slow down", { retryAfterSeconds: 20 }) : undefined);
    server.cut();
    server.put("pods", pod("a"));
    await clock.advance(19_000);
    expect(pods.list()).toEqual([]);
    await clock.advance(2_000);
    expect(names(pods.list())).toEqual(["a"]);
  });

  test("a server that says 410 again and again is not hammered", async () => {
    const { server, local, clock } = cached();
    const pods = local.watch(Pod);
    await clock.settle();
    server.intercept = () => refusal(410, "Expired");
    server.cut();
    await clock.advance(120_000);
    expect(server.requests.length).toBeLessThan(15);
    server.intercept = undefined;
    server.put("pods", pod("a"));
    await clock.advance(60_000);
    expect(names(pods.list())).toEqual(["a"]);
  });
});

describe("what is kept", () => {
  test("c-r 7.16 namespaces, labels and fields are the server's work; the rest never arrives", async () => {
    const { server, local, clock } = cached({ namespaces: ["a", "b"] });
    for (const namespace of ["a", "b", "c"]) server.put("pods", pod(namespace, { labels: { app: "web" } }, namespace));
    server.put("nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, spec: {} });
    const all = local.watch(Pod);
    const labelled = local.watch(Pod, { namespaces: ["c"], labels: { app: "web" } });
    const one = local.watch(Pod, { namespaces: ["c"], fields: "metadata.name=nobody" });
    const nodes = local.watch(Node);
    await clock.settle();
    expect([names(all.list()), names(labelled.list()), names(one.list()), names(nodes.list())]).toEqual([["a", "b"], ["c"], [], ["n"]]);
    expect(names(all.list({ namespace: "a" }))).toEqual(["a"]);
    expect(server.requests).toContain("GET /api/v1/namespaces/a/pods?watch");
    expect(server.requests).not.toContain("GET /api/v1/pods?watch");
  });

  test("c-r 7.17, idea 13 managedFields are dropped and transforms run before anything is stored; one bad object harms no other", async () => {
    const { server, local, clock, poisoned } = cached();
    server.put("pods", pod("a", { managedFields: [{ manager: "x" }], labels: { a: "b" } }));
    server.put("pods", pod("bad", { labels: { bad: "yes" } }));
    const plain = local.watch(Pod);
    const slim = local.watch(Pod, {
      transform(object) {
        if (object.metadata.labels?.["bad"]) throw new Error("cannot");
        return { ...object, spec: { containers: [] } };
      },
    });
    await clock.settle();
    expect(plain.get({ name: "a", namespace: "d" })?.metadata).not.toHaveProperty("managedFields");
    expect(slim.get({ name: "a", namespace: "d" })?.spec).toEqual({ containers: [] });
    // Idea 13: one bad object is left out and reported; the others are there and the watch goes on.
    expect(names(slim.list())).toEqual(["a"]);
    expect(poisoned).toHaveLength(1);
    server.put("pods", pod("b"));
    await clock.settle();
    expect(names(slim.list())).toEqual(["a", "b"]);
  });

  test("c-r 7.18 an index finds the exact set after adds, changes and deletions", async () => {
    const { server, local, clock, poisoned } = cached();
    const pods = local.watch(Pod);
    pods.index("node", (object) => {
      if (object.metadata.labels?.["bad"]) throw new Error("no node");
      return object.spec?.nodeName;
    });
    const random = seeded(7);
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
      const found = pods.by("node", node).map((p) => `${p.metadata.namespace}/${p.metadata.name}`);
      expect(found.sort()).toEqual(
        [...truth]
          .filter(([, on]) => on === node)
          .map(([key]) => key)
          .sort(),
      );
    }
    expect(pods.get({ name: "bad", namespace: "d" })).toBeDefined();
    expect(poisoned.length).toBeGreaterThan(0);
    expect(() => pods.by("zone", "x")).toThrow(/no index zone/);
  });

  test("c-r 7.19 nothing read can be changed, by nobody", async () => {
    const { server, local, clock } = cached();
    server.put("pods", pod("a", { labels: { a: "b" } }));
    const pods = local.watch(Pod);
    let handed: any;
    pods.on((change) => {
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

  test("better 3 a metadata view reads the store of whole objects when there is one, and fetches metadata alone otherwise", async () => {
    const { server, local, clock } = cached();
    server.put("pods", pod("a"));
    local.watch(Pod);
    const slim = local.watch(meta(Pod));
    const alone = local.watch(meta(ConfigMap));
    await clock.settle();
    expect(names(slim.list())).toEqual(["a"]);
    expect(server.requests.filter((line) => line.includes("/pods"))).toHaveLength(1);
    server.put("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", namespace: "d" }, data: { x: "y" } });
    await clock.settle();
    expect(alone.list()[0]).not.toHaveProperty("data");
  });
});

describe("handles", () => {
  test("c-r 7.15 one stream per kind and scope for everyone; a handler that throws harms no other", async () => {
    const { server, local, clock, poisoned } = cached();
    const first = local.watch(Pod);
    const second = local.watch(Pod);
    const seen: string[] = [];
    first.on(() => {
      throw new Error("mine alone");
    });
    second.on((change) => seen.push(told(change)));
    await clock.settle();
    server.put("pods", pod("a"));
    await clock.settle();
    expect(server.requests).toHaveLength(1);
    expect(seen).toEqual(["added a"]);
    expect(poisoned).toHaveLength(1);
  });

  test("better 5 a watch ends with its last handle, and can begin again", async () => {
    const { server, local, clock } = cached();
    const [first, second] = [local.watch(Pod), local.watch(Pod)];
    await clock.settle();
    await first.close();
    await first.close();
    expect(server.watches).toBe(1);
    await second.close();
    await clock.settle();
    expect(server.watches).toBe(0);
    server.put("pods", pod("a"));
    const third = local.watch(Pod);
    await clock.settle();
    expect(names(third.list())).toEqual(["a"]);
  });

  test("better 5 namespaces come and go while running", async () => {
    const { server, local, clock } = cached();
    for (const namespace of ["a", "b", "c"]) server.put("pods", pod(`p-${namespace}`, {}, namespace));
    const pods = local.watch(Pod, { namespaces: ["a"] });
    const seen: string[] = [];
    await clock.settle();
    pods.on((change) => seen.push(told(change)));
    await pods.narrow(["b", "c"]);
    await pods.synced();
    expect(names(pods.list())).toEqual(["p-b", "p-c"]);
    expect(seen.sort()).toEqual(["listed p-a", "listed p-b", "listed p-c", "missed p-a"]);
    expect(server.watches).toBe(2);
  });

  test("a late handler is first told what is there", async () => {
    const { server, local, clock } = cached();
    server.put("pods", pod("a"));
    const pods = local.watch(Pod);
    await clock.settle();
    const seen: string[] = [];
    const off = pods.on((change) => seen.push(told(change)));
    off();
    server.put("pods", pod("b"));
    await clock.settle();
    expect(seen).toEqual(["listed a"]);
  });

  test("better 2 a read of an undeclared kind fails at once and says what to do", async () => {
    const { local } = cached();
    expect(() => local.read(Pod)).toThrow(/Pod is not watched here: list it in `owns` or `watches`/);
  });

  test("c-r 7.33, better 2, idea 21 forbidden is an error that names the verb, and granting it is enough", async () => {
    const { server, local, clock, problems } = cached();
    const message = 'pods is forbidden: User "op" cannot watch resource "pods" in API group "" at the cluster scope';
    server.intercept = () => refusal(403, "Forbidden", message);
    const pods = local.watch(Pod);
    await clock.settle();
    expect(() => pods.list()).toThrow(/Pod has not been listed yet.*not allowed to watch pods: grant get, list and watch/s);
    expect(problems.at(-1)).toMatchObject({ type: "forbidden" });
    expect(local.health()[0]).toMatchObject({ synced: false, fresh: false });
    server.intercept = undefined;
    await clock.advance(5_000);
    expect(pods.list()).toEqual([]);
  });

  test("better 5 an optional kind is empty until its CRD appears, then followed, then empty again when it goes", async () => {
    const serves = new Set<string>();
    const { server, local, clock } = cached({ serves });
    const pods = local.watch(optional(Pod));
    const must = local.watch(Node);
    await clock.advance(60_000);
    expect(pods.list()).toEqual([]);
    expect(() => must.list()).toThrow(/does not serve nodes in v1: is its CRD installed/);
    serves.add("pods");
    server.put("pods", pod("a"));
    await clock.advance(10_000);
    expect(names(pods.list())).toEqual(["a"]);
    const seen: string[] = [];
    pods.on((change) => seen.push(told(change)));
    serves.delete("pods");
    server.cut();
    await clock.advance(10_000);
    expect(pods.list()).toEqual([]);
    expect(seen).toEqual(["listed a", "missed a"]);
    expect(local.health()[0]).toMatchObject({ fresh: true });
  });
});

describe("read your own writes", () => {
  test("idea 2 a write is read back at once, however late the watch", async () => {
    const { server, local, client, clock } = cached();
    const pods = local.watch(Pod);
    await clock.settle();
    const writer = writesThrough(client, local, "me");
    const origins: unknown[] = [];
    pods.on((change) => origins.push(change.origin));
    server.hold(true);
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
    expect(local.health()[0]?.ahead).toBe(10);
    server.hold(false);
    await clock.settle();
    // The echoes tell nobody anything new.
    expect(origins).toEqual(Array.from({ length: 12 }, () => "me"));
    expect(pods.get({ name: "p2", namespace: "d" })).toBeUndefined();
    expect(local.health()[0]?.ahead).toBe(0);
  });

  test("better 1 an answer never goes back in time, and a relist older than it does not undo it", async () => {
    const { server, local, client, clock } = cached({ streaming: false });
    server.put("pods", pod("a"));
    const pods = local.watch(Pod);
    await clock.settle();
    const writer = writesThrough(client, local);
    server.hold(true);
    await writer.patch(Pod, { name: "a", namespace: "d" }, { merge: { metadata: { labels: { by: "me" } } } });
    server.put("pods", pod("a", { labels: { by: "stranger" } }));
    expect(pods.get({ name: "a", namespace: "d" })?.metadata.labels).toEqual({ by: "me" });
    server.hold(false);
    await clock.settle();
    expect(pods.get({ name: "a", namespace: "d" })?.metadata.labels).toEqual({ by: "stranger" });

    // A list answered from before the write arrives after it.
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
    pods.on((change) => change.event === "missed" && undone.push(told(change)));
    answer!(old);
    await clock.advance(5_000);
    expect(undone).toEqual([]);
    expect(names(pods.list())).toEqual(["a", "newer"]);
  });

  test("better 1 what is outside the selector never enters, and what leaves it goes", async () => {
    const { server, local, client, clock } = cached();
    const mine = local.watch(Pod, { namespaces: ["d"], labels: { app: "mine" } });
    await clock.settle();
    const writer = writesThrough(client, local);
    const body = (name: string, app: string, namespace = "d") => ({
      metadata: { name, namespace, labels: { app } },
      spec: { containers: [] },
    });
    await writer.create(Pod, body("a", "other"));
    await writer.create(Pod, body("b", "mine"));
    await writer.create(Pod, body("c", "mine", "elsewhere"));
    expect(names(mine.list())).toEqual(["b"]);
    server.hold(true);
    await writer.patch(Pod, { name: "b", namespace: "d" }, { merge: { metadata: { labels: { app: "other" } } } });
    expect(mine.list()).toEqual([]);
    server.hold(false);
    await clock.settle();
    expect(mine.list()).toEqual([]);
  });

  test("better 1 a write that the stream passes by without showing goes again", async () => {
    const { server, local, clock } = cached();
    const pods = local.watch(Pod);
    await clock.settle();
    const ghost = { ...pod("ghost", { uid: "u", resourceVersion: String(server.revision + 1), creationTimestamp: "" }) };
    expect(local.wrote(Pod, ghost)).toBe(true);
    expect(names(pods.list())).toEqual(["ghost"]);
    server.put("pods", pod("other"));
    server.put("pods", pod("another"));
    await clock.settle();
    expect(names(pods.list())).toEqual(["another", "other"]);
  });

  test("a deletion that finalizers hold up is a change, not a deletion", async () => {
    const { server, local, client, clock } = cached();
    server.put("pods", pod("a", { finalizers: ["x"] }));
    const pods = local.watch(Pod);
    await clock.settle();
    await writesThrough(client, local).delete(Pod, { name: "a", namespace: "d" });
    expect(pods.get({ name: "a", namespace: "d" })?.metadata.deletionTimestamp).toBeDefined();
  });
});

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { WatchEvent } from "../../src/api/request.ts";
import { memoryStore, type Store } from "../../src/store/index.ts";
import { type Api, CONFIG_MAPS, establish, MERGE, PARTIAL, startApi, TABLE, WIDGETS, widget, widgetCrd } from "./harness.ts";

let api: Api;
let store: Store;
beforeEach(async () => {
  store = memoryStore();
  api = await startApi({ store });
});
afterEach(() => api.cluster.stop());

const create = (name: string, labels = {}) => api.send("POST", CONFIG_MAPS, { metadata: { name, labels } });
const patch = (name: string, body: unknown) => api.send("PATCH", `${CONFIG_MAPS}/${name}`, body, { type: MERGE });
const brief = (events: readonly { type: string; object: any }[]) => events.map(({ type, object }) => [type, object.metadata.name]);
const revisionOf = ({ object }: { object: any }) => Number(object.metadata.resourceVersion);

describe("where it starts", () => {
  test.each(["", "?resourceVersion=0"])("%j: what is there, then what happens", async (query) => {
    await create("a");
    const watch = await api.watch(CONFIG_MAPS + query);
    expect(brief(await watch.seen())).toEqual([["ADDED", "a"]]);
    await create("b");
    await patch("a", { data: { x: "1" } });
    await patch("a", { data: { x: "1" } });
    await api.send("DELETE", `${CONFIG_MAPS}/b`);
    const events = await watch.seen();
    expect(brief(events)).toEqual([
      ["ADDED", "b"],
      ["MODIFIED", "a"],
      ["DELETED", "b"],
    ]);
    expect(revisionOf(events[2]!)).toBe(store.currentRevision());
  });

  test("a resourceVersion: only what came after it", async () => {
    await create("a");
    const { body } = await api.send("GET", CONFIG_MAPS);
    await create("b");
    const watch = await api.watch(`${CONFIG_MAPS}?resourceVersion=${body.metadata.resourceVersion}`);
    await create("c");
    expect(brief(await watch.seen())).toEqual([
      ["ADDED", "b"],
      ["ADDED", "c"],
    ]);
  });

  test("a resourceVersion that is gone: one ERROR, and the end", async () => {
    await create("a");
    await store.compact(store.currentRevision());
    const watch = await api.watch(`${CONFIG_MAPS}?resourceVersion=1`);
    expect(watch.status).toBe(200);
    expect(await watch.seen()).toEqual([
      {
        type: "ERROR",
        object: {
          kind: "Status",
          apiVersion: "v1",
          metadata: {},
          status: "Failure",
          message: `too old resource version: 1 (${store.currentRevision()})`,
          reason: "Expired",
          code: 410,
        },
      },
    ]);
    expect(watch.ended()).toBe(true);
  });
});

describe("a selector", () => {
  test("sees what enters as added and what leaves as deleted, as it last matched", async () => {
    await create("a", { team: "x" });
    const watch = await api.watch(`${CONFIG_MAPS}?labelSelector=team=x`);
    await patch("a", { metadata: { labels: { team: "y" } } });
    await patch("a", { data: { unseen: "1" } });
    const left = await watch.seen();
    expect(left.map(({ type, object }) => [type, object.metadata.labels.team])).toEqual([
      ["ADDED", "x"],
      ["DELETED", "x"],
    ]);
    expect(revisionOf(left[1]!)).toBe(store.currentRevision() - 1);
    await patch("a", { metadata: { labels: { team: "x" } } });
    await api.send("DELETE", `${CONFIG_MAPS}/a`);
    expect(brief(await watch.seen())).toEqual([
      ["ADDED", "a"],
      ["DELETED", "a"],
    ]);
  });

  test("of a name, as field or as path", async () => {
    await create("a");
    await create("b");
    for (const path of [`${CONFIG_MAPS}?fieldSelector=metadata.name=b`, "/api/v1/watch/namespaces/default/configmaps/b"]) {
      expect(brief(await (await api.watch(path)).seen())).toEqual([["ADDED", "b"]]);
    }
  });
});

describe("sendInitialEvents", () => {
  const query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
  test("ends the current state with a bookmark that says so", async () => {
    await create("a");
    const watch = await api.watch(`${CONFIG_MAPS}?${query}&allowWatchBookmarks=true`);
    const [added, end] = await watch.seen();
    expect(brief([added!])).toEqual([["ADDED", "a"]]);
    expect(end).toEqual({
      type: "BOOKMARK",
      object: {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: { resourceVersion: String(store.currentRevision()), annotations: { "k8s.io/initial-events-end": "true" } },
      },
    });
  });

  test.each([
    ["sendInitialEvents=true", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"],
    ["resourceVersionMatch=NotOlderThan", "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"],
  ])("%s alone is refused", async (wrong, text) => {
    const { status, body } = await api.send("GET", `${CONFIG_MAPS}?watch=true&${wrong}`);
    expect([status, body.message]).toEqual([422, `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: ${text}`]);
  });
});

describe("time", () => {
  test("bookmarks come about every minute and just before the end", async () => {
    const watch = await api.watch(`${CONFIG_MAPS}?resourceVersion=${store.currentRevision()}&allowWatchBookmarks=true&timeoutSeconds=130`);
    await api.clock.advance(129_000);
    const events = await watch.seen();
    expect(events.map(({ type }) => type)).toEqual(["BOOKMARK", "BOOKMARK", "BOOKMARK"]);
    expect(events[0]?.object.metadata).toEqual({ resourceVersion: String(store.currentRevision()) });
    await api.clock.advance(1000);
    expect(watch.ended()).toBe(true);
  });

  test("without timeoutSeconds a watch ends between 30 and 60 minutes", async () => {
    const watch = await api.watch(CONFIG_MAPS);
    await api.clock.advance(30 * 60_000 - 1);
    expect(watch.ended()).toBe(false);
    await api.clock.advance(30 * 60_000);
    expect(watch.ended()).toBe(true);
  });
});

describe("presentation", () => {
  test("a table says its columns once", async () => {
    const watch = await api.watch(CONFIG_MAPS, { accept: TABLE });
    await create("a");
    await patch("a", { data: { x: "1" } });
    const [first, second] = await watch.seen();
    expect(first?.object).toMatchObject({
      kind: "Table",
      apiVersion: "meta.k8s.io/v1",
      rows: [{ object: { kind: "PartialObjectMetadata" } }],
    });
    expect(first?.object.columnDefinitions[0]).toMatchObject({ name: "Name", format: "name" });
    expect(second?.object.columnDefinitions).toBeNull();
  });

  test("metadata only", async () => {
    const watch = await api.watch(CONFIG_MAPS, { accept: PARTIAL });
    await create("a");
    const [event] = await watch.seen();
    expect(event?.object).toMatchObject({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: { name: "a" } });
  });

  test("an event is written once for all watchers that show it alike", async () => {
    const { server } = api.cluster;
    const events: WatchEvent[] = [];
    for (const accept of ["application/json", "application/json", PARTIAL]) {
      const answer = await server.handle({
        method: "GET",
        path: CONFIG_MAPS,
        query: new Map([["watch", ["true"]]]),
        headers: { accept },
        user: { name: "admin", groups: ["system:masters"] },
        body: undefined,
        signal: () => new AbortController().signal,
      });
      if (answer.body.type !== "watch") throw new Error("no watch");
      answer.body.stream.open({ event: (event) => events.push(event), end() {}, cut() {} });
    }
    await create("a");
    expect(events).toHaveLength(3);
    expect(events[0]!.bytes()).toBe(events[1]!.bytes());
    expect(events[2]).not.toBe(events[0]);
    expect(JSON.parse(events[0]!.line())).toMatchObject({ type: "ADDED", object: { kind: "ConfigMap", metadata: { name: "a" } } });
  });
});

test("the last finalizer's removal shows the object as it was stored", async () => {
  await establish(api, widgetCrd());
  await api.send("POST", WIDGETS, widget("a", { metadata: { finalizers: ["example.com/hold"] } }));
  const watch = await api.watch(WIDGETS);
  await api.send("DELETE", `${WIDGETS}/a`);
  await api.send("PATCH", `${WIDGETS}/a`, { metadata: { finalizers: null } }, { type: MERGE });
  const events = await watch.seen();
  expect(events.map(({ type }) => type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
  expect(events[2]?.object.metadata).toMatchObject({ finalizers: ["example.com/hold"], resourceVersion: String(store.currentRevision()) });
});

test("ends when the definition of its kind changes", async () => {
  await establish(api, widgetCrd());
  const watch = await api.watch(WIDGETS);
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";
  await api.send("PATCH", path, { metadata: { labels: { a: "b" } } }, { type: MERGE });
  await watch.seen();
  expect(watch.ended()).toBe(false);
  await api.send("PATCH", path, [{ op: "add", path: "/spec/names/shortNames", value: ["wd"] }], { type: "application/json-patch+json" });
  await watch.seen();
  expect(watch.ended()).toBe(true);
});

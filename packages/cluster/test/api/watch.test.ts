import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { WatchEvent } from "../../src/api/request/api-request.ts";
import { createMemoryStore, type ObjectStore } from "../../src/store/index.ts";
import {
  CONFIG_MAPS,
  establishCrd,
  MERGE,
  PARTIAL,
  startTestApiServer,
  TABLE,
  type TestApiServer,
  WIDGETS,
  widget,
  widgetCrd,
} from "./harness.ts";

let api: TestApiServer;
let store: ObjectStore;
beforeEach(async () => {
  store = createMemoryStore();
  api = await startTestApiServer({ store });
});
afterEach(() => api.cluster.stop());

const create = (name: string, labels = {}) => api.send("POST", CONFIG_MAPS, { metadata: { name, labels } });
const patch = (name: string, body: unknown) => api.send("PATCH", `${CONFIG_MAPS}/${name}`, body, { type: MERGE });
const brief = (events: readonly { type: string; object: any }[]) => events.map(({ type, object }) => [type, object.metadata.name]);
const revisionOf = ({ object }: { object: any }) => Number(object.metadata.resourceVersion);

describe("the start of a watch", () => {
  test.each(["", "?resourceVersion=0"])("%j sends the current objects, then changes", async (query) => {
    await create("a");
    const watch = await api.watch(CONFIG_MAPS + query);
    expect(brief(await watch.takeEvents())).toEqual([["ADDED", "a"]]);
    await create("b");
    await patch("a", { data: { x: "1" } });
    await patch("a", { data: { x: "1" } });
    await api.send("DELETE", `${CONFIG_MAPS}/b`);
    const events = await watch.takeEvents();
    expect(brief(events)).toEqual([
      ["ADDED", "b"],
      ["MODIFIED", "a"],
      ["DELETED", "b"],
    ]);
    expect(revisionOf(events[2]!)).toBe(store.currentRevision());
  });

  test("a resourceVersion sends only later changes", async () => {
    await create("a");
    const { body } = await api.send("GET", CONFIG_MAPS);
    await create("b");
    const watch = await api.watch(`${CONFIG_MAPS}?resourceVersion=${body.metadata.resourceVersion}`);
    await create("c");
    expect(brief(await watch.takeEvents())).toEqual([
      ["ADDED", "b"],
      ["ADDED", "c"],
    ]);
  });

  test("a compacted resourceVersion sends one ERROR event and ends", async () => {
    await create("a");
    await store.compact(store.currentRevision());
    const watch = await api.watch(`${CONFIG_MAPS}?resourceVersion=1`);
    expect(watch.status).toBe(200);
    expect(await watch.takeEvents()).toEqual([
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
    expect(watch.hasEnded()).toBe(true);
  });
});

describe("a selector", () => {
  test("sends ADDED for objects that start to match and DELETED with the last matching state", async () => {
    await create("a", { team: "x" });
    const watch = await api.watch(`${CONFIG_MAPS}?labelSelector=team=x`);
    await patch("a", { metadata: { labels: { team: "y" } } });
    await patch("a", { data: { unseen: "1" } });
    const left = await watch.takeEvents();
    expect(left.map(({ type, object }) => [type, object.metadata.labels.team])).toEqual([
      ["ADDED", "x"],
      ["DELETED", "x"],
    ]);
    expect(revisionOf(left[1]!)).toBe(store.currentRevision() - 1);
    await patch("a", { metadata: { labels: { team: "x" } } });
    await api.send("DELETE", `${CONFIG_MAPS}/a`);
    expect(brief(await watch.takeEvents())).toEqual([
      ["ADDED", "a"],
      ["DELETED", "a"],
    ]);
  });

  test("of a name works as field selector and as path", async () => {
    await create("a");
    await create("b");
    for (const path of [`${CONFIG_MAPS}?fieldSelector=metadata.name=b`, "/api/v1/watch/namespaces/default/configmaps/b"]) {
      expect(brief(await (await api.watch(path)).takeEvents())).toEqual([["ADDED", "b"]]);
    }
  });
});

describe("sendInitialEvents", () => {
  const query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
  test("ends the initial events with an annotated bookmark", async () => {
    await create("a");
    const watch = await api.watch(`${CONFIG_MAPS}?${query}&allowWatchBookmarks=true`);
    const [added, end] = await watch.takeEvents();
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

describe("timers of a watch", () => {
  test("send bookmarks every minute and shortly before the timeout", async () => {
    const watch = await api.watch(`${CONFIG_MAPS}?resourceVersion=${store.currentRevision()}&allowWatchBookmarks=true&timeoutSeconds=130`);
    await api.clock.advance(129_000);
    const events = await watch.takeEvents();
    expect(events.map(({ type }) => type)).toEqual(["BOOKMARK", "BOOKMARK", "BOOKMARK"]);
    expect(events[0]?.object.metadata).toEqual({ resourceVersion: String(store.currentRevision()) });
    await api.clock.advance(1000);
    expect(watch.hasEnded()).toBe(true);
  });

  test("end a watch without timeoutSeconds after 30 to 60 minutes", async () => {
    const watch = await api.watch(CONFIG_MAPS);
    await api.clock.advance(30 * 60_000 - 1);
    expect(watch.hasEnded()).toBe(false);
    await api.clock.advance(30 * 60_000);
    expect(watch.hasEnded()).toBe(true);
  });
});

describe("the format of a watch", () => {
  test("a table has its columns in the first event only", async () => {
    const watch = await api.watch(CONFIG_MAPS, { accept: TABLE });
    await create("a");
    await patch("a", { data: { x: "1" } });
    const [first, second] = await watch.takeEvents();
    expect(first?.object).toMatchObject({
      kind: "Table",
      apiVersion: "meta.k8s.io/v1",
      rows: [{ object: { kind: "PartialObjectMetadata" } }],
    });
    expect(first?.object.columnDefinitions[0]).toMatchObject({ name: "Name", format: "name" });
    expect(second?.object.columnDefinitions).toBeNull();
  });

  test("PartialObjectMetadata has only metadata", async () => {
    const watch = await api.watch(CONFIG_MAPS, { accept: PARTIAL });
    await create("a");
    const [event] = await watch.takeEvents();
    expect(event?.object).toMatchObject({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: { name: "a" } });
  });

  test("watches with the same format share the bytes of an event", async () => {
    const { server } = api.cluster;
    const events: WatchEvent[] = [];
    for (const accept of ["application/json", "application/json", PARTIAL]) {
      const response = await server.handle({
        method: "GET",
        path: CONFIG_MAPS,
        query: new Map([["watch", ["true"]]]),
        headers: { accept },
        user: { name: "admin", groups: ["system:masters"] },
        body: undefined,
        signal: () => new AbortController().signal,
      });
      if (response.body.type !== "watch") throw new Error("no watch");
      response.body.stream.open({ event: (event) => events.push(event), end() {}, disconnect() {} });
    }
    await create("a");
    expect(events).toHaveLength(3);
    expect(events[0]!.bytes()).toBe(events[1]!.bytes());
    expect(events[2]).not.toBe(events[0]);
    expect(JSON.parse(events[0]!.line())).toMatchObject({ type: "ADDED", object: { kind: "ConfigMap", metadata: { name: "a" } } });
  });
});

test("removing the last finalizer sends DELETED with the stored object", async () => {
  await establishCrd(api, widgetCrd());
  await api.send("POST", WIDGETS, widget("a", { metadata: { finalizers: ["example.com/hold"] } }));
  const watch = await api.watch(WIDGETS);
  await api.send("DELETE", `${WIDGETS}/a`);
  await api.send("PATCH", `${WIDGETS}/a`, { metadata: { finalizers: null } }, { type: MERGE });
  const events = await watch.takeEvents();
  expect(events.map(({ type }) => type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
  expect(events[2]?.object.metadata).toMatchObject({ finalizers: ["example.com/hold"], resourceVersion: String(store.currentRevision()) });
});

test("a watch ends when its CRD changes", async () => {
  await establishCrd(api, widgetCrd());
  const watch = await api.watch(WIDGETS);
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";
  await api.send("PATCH", path, { metadata: { labels: { a: "b" } } }, { type: MERGE });
  await watch.takeEvents();
  expect(watch.hasEnded()).toBe(false);
  await api.send("PATCH", path, [{ op: "add", path: "/spec/names/shortNames", value: ["wd"] }], { type: "application/json-patch+json" });
  await watch.takeEvents();
  expect(watch.hasEnded()).toBe(true);
});

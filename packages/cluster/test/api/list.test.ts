import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createMemoryStore } from "../../src/store/index.ts";
import { CONFIG_MAPS, establishCrd, startTestApiServer, type TestApiServer, WIDGETS, widget, widgetCrd } from "./harness.ts";

const store = createMemoryStore({ history: 1000 });
let api: TestApiServer;
beforeAll(async () => {
  api = await startTestApiServer({ store });
  await establishCrd(api, widgetCrd());
  for (const [index, color] of ["red", "blue", "red", "green", "red"].entries()) {
    await api.send("POST", WIDGETS, widget(`w${index}`, { metadata: { labels: { n: String(index) } }, spec: { color } }));
  }
});
afterAll(() => api.cluster.stop());

const names = (body: any) => body.items.map((item: any) => item.metadata.name);
const list = (query = "") => api.send("GET", `${WIDGETS}?${query}`);

describe("pages", () => {
  test("return one revision in key order with remainingItemCount", async () => {
    const first = (await list("limit=2")).body;
    expect([names(first), first.metadata.remainingItemCount, first.kind, first.apiVersion]).toEqual([
      ["w0", "w1"],
      3,
      "WidgetList",
      "example.com/v1",
    ]);
    await api.send("POST", WIDGETS, widget("w25"));
    await api.send("DELETE", `${WIDGETS}/w3`);
    const second = (await list(`limit=2&continue=${first.metadata.continue}`)).body;
    expect([names(second), second.metadata.resourceVersion]).toEqual([["w2", "w3"], first.metadata.resourceVersion]);
    const last = (await list(`limit=2&continue=${second.metadata.continue}`)).body;
    expect([names(last), last.metadata.continue, last.metadata.remainingItemCount]).toEqual([["w4"], "", undefined]);
    await api.send("DELETE", `${WIDGETS}/w25`);
    await api.send("POST", WIDGETS, widget("w3", { metadata: { labels: { n: "3" } }, spec: { color: "green" } }));
  });

  test("with a selector are full and have no remainingItemCount", async () => {
    const { body } = await list("limit=2&fieldSelector=spec.color=red");
    expect([names(body), body.metadata.remainingItemCount]).toEqual([["w0", "w2"], undefined]);
    const rest = (await list(`limit=2&fieldSelector=spec.color=red&continue=${body.metadata.continue}`)).body;
    expect([names(rest), rest.metadata.continue]).toEqual([["w4"], ""]);
  });

  test("of a compacted revision return 410 with an inconsistent continue token", async () => {
    const { body } = await list("limit=2");
    await store.compact(store.currentRevision() + 1);
    await api.send("POST", CONFIG_MAPS, { metadata: { generateName: "n-" } });
    await store.compact(store.currentRevision());
    const expired = await list(`limit=2&continue=${body.metadata.continue}`);
    expect(expired).toMatchObject({ status: 410, body: { reason: "Expired" } });
    expect(expired.body.message).toMatch(/^The provided continue parameter is too old/);
    expect(names((await list(`limit=2&continue=${expired.body.metadata.continue}`)).body)).toEqual(["w2", "w3"]);
  });

  test.each([
    ["continue=abc", 400, "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value"],
    ["limit=many", 400, 'strconv.ParseInt: parsing "many": invalid syntax'],
  ])("%s: %i %s", async (query, status, message) => {
    expect(await list(query)).toMatchObject({ status, body: { message } });
  });
});

describe("resourceVersion", () => {
  test("Exact reads that revision; a compacted revision is 410", async () => {
    const then = (await list()).body.metadata.resourceVersion;
    await api.send("POST", WIDGETS, widget("x"));
    const { body } = await list(`resourceVersion=${then}&resourceVersionMatch=Exact`);
    expect([names(body), body.metadata.resourceVersion]).toEqual([["w0", "w1", "w2", "w3", "w4"], then]);
    expect(names((await list(`resourceVersion=${then}&limit=10`)).body)).not.toContain("x");
    expect(names((await list(`resourceVersion=${then}`)).body)).toContain("x");
    await api.send("DELETE", `${WIDGETS}/x`);
    await store.compact(store.currentRevision());
    expect(await list(`resourceVersion=${then}&resourceVersionMatch=Exact`)).toMatchObject({
      status: 410,
      body: { reason: "Expired", message: "The resourceVersion for the provided list is too old." },
    });
  });

  test("of the future is waited for up to three seconds", async () => {
    const next = store.currentRevision() + 1;
    const waiting = list(`resourceVersion=${next}`);
    await api.clock.advance(2000);
    await api.send("POST", CONFIG_MAPS, { metadata: { generateName: "n-" } });
    expect((await waiting).status).toBe(200);

    const tooLong = list("resourceVersion=99999");
    await api.clock.advance(3000);
    const { status, body, headers } = await tooLong;
    expect([status, body.reason, headers["retry-after"]]).toEqual([504, "Timeout", "1"]);
    expect(body.message).toBe(`Timeout: Too large resource version: 99999, current: ${store.currentRevision()}`);
    expect(body.details.causes).toEqual([{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }]);
  });

  test.each([
    ["resourceVersionMatch=Exact", "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"],
    [
      "resourceVersion=0&resourceVersionMatch=Exact",
      'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    [
      "resourceVersion=1&resourceVersionMatch=Near",
      'resourceVersionMatch: Unsupported value: "Near": supported values: "Exact", "NotOlderThan", ""',
    ],
    ["sendInitialEvents=true", "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"],
  ])("%s is refused", async (query, text) => {
    expect(await list(query)).toMatchObject({ status: 422, body: { message: `ListOptions.meta.k8s.io "" is invalid: ${text}` } });
  });
});

describe("selectors", () => {
  test.each([
    ["labelSelector=n=1", ["w1"]],
    ["labelSelector=n==1", ["w1"]],
    ["labelSelector=n!=1", ["w0", "w2", "w3", "w4"]],
    ["labelSelector=n in (0,4)", ["w0", "w4"]],
    ["labelSelector=n notin (0,1,2)", ["w3", "w4"]],
    ["labelSelector=n", ["w0", "w1", "w2", "w3", "w4"]],
    ["labelSelector=!n", []],
    ["labelSelector=n>2", ["w3", "w4"]],
    ["labelSelector=n<1,n", ["w0"]],
    ["fieldSelector=metadata.name=w3", ["w3"]],
    ["fieldSelector=metadata.name!=w3,spec.color=red", ["w0", "w2", "w4"]],
    ["fieldSelector=metadata.namespace=other", []],
  ])("%s", async (query, expected) => {
    expect(
      names((await list(query.replaceAll("+", "%2B").replaceAll(" ", "%20").replaceAll(">", "%3E").replaceAll("<", "%3C"))).body),
    ).toEqual(expected);
  });

  test.each([
    [WIDGETS, "fieldSelector=spec.size=1", "field label not supported: spec.size"],
    [CONFIG_MAPS, "fieldSelector=data.a=1", '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"'],
    [CONFIG_MAPS, "fieldSelector=nonsense", "invalid selector: 'nonsense'; can't understand 'nonsense'"],
    [WIDGETS, "labelSelector=a%20in%20(b", "unable to parse requirement: found '', expected: ',' or ')'"],
    [WIDGETS, "labelSelector=a,,b", "found ',', expected: identifier after ','"],
    [
      WIDGETS,
      "labelSelector=a%3Eb",
      "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
  ])("%s?%s is refused", async (path, query, message) => {
    expect(await api.send("GET", `${path}?${query}`)).toMatchObject({ status: 400, body: { reason: "BadRequest", message } });
  });
});

test("a list across namespaces has built-in items without kind and apiVersion", async () => {
  await api.send("POST", "/api/v1/namespaces/kube-system/configmaps", { metadata: { name: "z" } });
  const { body } = await api.send("GET", "/api/v1/configmaps?fieldSelector=metadata.name=z");
  expect(body).toMatchObject({ kind: "ConfigMapList", items: [{ metadata: { name: "z", namespace: "kube-system" } }] });
  expect(Object.keys(body.items[0])).toEqual(["metadata"]);
  expect((await list("limit=1")).body.items[0].kind).toBe("Widget");
});

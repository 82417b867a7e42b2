import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeProtobuf } from "../../src/codec/index.ts";
import { CONFIG_MAPS, PARTIAL, startWidgetApiServer, TABLE, type TestApiServer, WIDGETS, widget } from "./harness.ts";

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
const NODES = "/api/v1/nodes";

/** Response bytes are copied from the store, and values are decoded from it: both must be equal. */
let api: TestApiServer;
beforeAll(async () => {
  api = await startWidgetApiServer();
  // Clients send fields in any order, and objects contain any text.
  await create(CONFIG_MAPS, {
    data: { a: "1" },
    metadata: { labels: { tier: "one" }, name: "order" },
    kind: "ConfigMap",
    apiVersion: "v1",
  });
  await create(CONFIG_MAPS, { metadata: { name: "text", labels: { tier: "two" }, annotations: { note: "ß😀" } }, data: { z: "–" } });
  const lookalike = { managedFields: "[", x: ',"managedFields":[{}]', metadata: '"metadata":{' };
  await create(CONFIG_MAPS, { metadata: { name: "lookalike", annotations: lookalike }, data: lookalike });
  await create(CONFIG_MAPS, { metadata: { name: "large" }, data: { x: "x".repeat(100_000) } });
  await create(WIDGETS, { spec: { size: 1 }, ...widget("a", {}) });
  await create(WIDGETS, widget("b", { spec: { size: 2 } }));
  await create(NODES, { metadata: { name: "n" }, spec: { unschedulable: true } });
});
afterAll(() => api.cluster.stop());

async function create(path: string, object: object): Promise<void> {
  expect(await api.send("POST", path, object)).toMatchObject({ status: 201 });
}
async function bytesOf(path: string, query: Readonly<Record<string, string>>, accept: string): Promise<Buffer> {
  const response = await api.cluster.transport.request({ method: "GET", path, query, headers: { accept } });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.bytes()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
async function answerTo(path: string, query: Readonly<Record<string, string>>, accept: string): Promise<unknown> {
  const response = await api.cluster.transport.request({ method: "GET", path, query, headers: { accept } });
  return response.json();
}

const QUERIES = [
  {},
  { limit: "1" },
  { labelSelector: "tier" },
  { labelSelector: "tier notin (one)" },
  { fieldSelector: "metadata.name=text" },
  { fieldSelector: "metadata.name!=text", labelSelector: "!tier" },
];
const TABLES = ["None", "Metadata", "Object"].map((includeObject) => ({ includeObject }));

describe.each([CONFIG_MAPS, WIDGETS, NODES])("%s", (path) => {
  test.each(QUERIES)("a list with query %j has equal bytes and value", async (query) => {
    for (const accept of ["application/json", PARTIAL_LIST, TABLE]) {
      const text = (await bytesOf(path, query, accept)).toString();
      expect(text.endsWith("}\n"), accept).toBe(true);
      expect(JSON.parse(text), accept).toEqual(await answerTo(path, query, accept));
    }
  });

  test.each(TABLES)("a table with query %j has equal bytes and value", async (query) => {
    expect(JSON.parse((await bytesOf(path, query, TABLE)).toString())).toEqual(await answerTo(path, query, TABLE));
  });

  test("each object has equal bytes and value, alone and in a list", async () => {
    const { items } = (await answerTo(path, {}, "application/json")) as { items: { metadata: { name: string } }[] };
    expect(items.length).toBeGreaterThan(0);
    for (const item of items) {
      const one = JSON.parse((await bytesOf(`${path}/${item.metadata.name}`, {}, "application/json")).toString());
      expect(one).toEqual(await answerTo(`${path}/${item.metadata.name}`, {}, "application/json"));
      expect(one).toEqual({ ...one, ...item });
      expect(JSON.parse((await bytesOf(`${path}/${item.metadata.name}`, {}, PARTIAL)).toString()).metadata).toEqual(one.metadata);
    }
  });
});

test("list items of built-in kinds have no kind and apiVersion, those of custom resources have", async () => {
  const first = async (path: string) => JSON.parse((await bytesOf(path, { limit: "1" }, "application/json")).toString()).items[0];
  expect(Object.keys(await first(CONFIG_MAPS))).not.toContain("kind");
  expect(Object.keys(await first(WIDGETS))).toContain("kind");
});

test("a field selector beyond metadata reads stored bytes", async () => {
  const query = { fieldSelector: "spec.unschedulable=true" };
  expect(JSON.parse((await bytesOf(NODES, query, "application/json")).toString()).items).toHaveLength(1);
});

test("a list in protobuf has the bytes of its objects", async () => {
  const bytes = await bytesOf(CONFIG_MAPS, {}, PROTOBUF);
  for (const name of ["order", "text", "lookalike", "large"]) {
    const one = await bytesOf(`${CONFIG_MAPS}/${name}`, {}, PROTOBUF);
    expect(decodeProtobuf(one).object).toEqual(await answerTo(`${CONFIG_MAPS}/${name}`, {}, "application/json"));
    expect(bytes.includes(one.subarray(80, -4)), name).toBe(true);
  }
});

test("the initial events of a watch have equal bytes and value", async () => {
  const query = { watch: "true", resourceVersion: "0", timeoutSeconds: "1" };
  for (const [path, more] of [
    [CONFIG_MAPS, {}],
    [WIDGETS, {}],
    [CONFIG_MAPS, { labelSelector: "tier" }],
  ] as const) {
    const watching = await api.cluster.transport.request({ method: "GET", path, query: { ...query, ...more }, headers: {} });
    const events: unknown[] = [];
    const { items } = (await answerTo(path, more, "application/json")) as { items: object[] };
    for await (const chunk of watching.bytes()) {
      for (const line of Buffer.from(chunk).toString().trimEnd().split("\n")) events.push(JSON.parse(line));
      if (events.length === items.length) break;
    }
    const of = path === CONFIG_MAPS ? { kind: "ConfigMap", apiVersion: "v1" } : {};
    expect(events).toEqual(items.map((item) => ({ type: "ADDED", object: { ...of, ...item } })));
  }
});

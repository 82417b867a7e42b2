import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeSnapshot, encodeSnapshot } from "../../src/cluster/index.ts";
import { type Cluster, startCluster } from "../../src/index.ts";

/** Integers that a double cannot hold, at the limits of int64 and beyond 2^53. */
const INTEGERS = ["9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808"];
const INTEGER_LIST = `[${INTEGERS.join(",")}]`;
const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const THINGS = "/apis/example.com/v1/namespaces/default/things";

/** Bounds, defaults and enums of a schema are integers too, and end up in OpenAPI documents. */
const CRD = `{"metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
"spec":{"type":"object","properties":{"n":{"type":"array","items":{"type":"integer","format":"int64"}},
"d":{"type":"integer","format":"int64","default":9007199254740993,"enum":[9007199254740993,1]}}}}}}}]}}`;
const THING = `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"n":${INTEGER_LIST}}}`;

/** Sends a request over HTTP and returns the response's text, which no JSON library of the test touches. */
async function send(cluster: Cluster, method: string, target: string, body?: string): Promise<string> {
  const headers = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
  const response = await fetch(`${cluster.plainUrl}${target}`, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return text;
}

const expectExact = (text: string) => expect(text).toContain(`"n":${INTEGER_LIST}`);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ without: true, plainHttp: true });
  await send(cluster, "POST", CRDS, CRD);
  await send(cluster, "POST", THINGS, THING);
});
afterAll(() => cluster.stop());

describe("integers beyond 2^53 keep all digits", () => {
  test("in get, list, patch, update and delete", async () => {
    expectExact(await send(cluster, "GET", `${THINGS}/a`));
    expectExact(await send(cluster, "GET", THINGS));
    expectExact(await send(cluster, "PATCH", `${THINGS}/a`, '{"metadata":{"labels":{"x":"y"}}}'));
    const text = await send(cluster, "GET", `${THINGS}/a`);
    expect(text).toContain('"d":9007199254740993');
    expectExact(await send(cluster, "PUT", `${THINGS}/a`, text));
    await send(cluster, "POST", THINGS, THING.replace('"a"', '"b"'));
    await send(cluster, "DELETE", `${THINGS}/b`);
  });

  test("in OpenAPI documents, whose schemas contain them", async () => {
    expect(await send(cluster, "GET", "/openapi/v3/apis/example.com/v1")).toContain('"default":9007199254740993');
    await send(cluster, "GET", "/openapi/v2");
  });

  test("in a fork", async () => {
    await using fork = await cluster.fork({ plainHttp: true });
    expectExact(await send(fork, "GET", `${THINGS}/a`));
    expectExact(await send(fork, "PATCH", `${THINGS}/a`, '{"metadata":{"labels":{"x":"z"}}}'));
  });

  test("in a saved snapshot, both ways, which can be listed, watched, changed and saved again", async () => {
    const saved = encodeSnapshot(cluster.snapshot());
    expectExact(saved);
    const snapshot = decodeSnapshot(Buffer.from(saved));
    await using restored = await startCluster({ from: snapshot, without: true, plainHttp: true });
    expectExact(await send(restored, "GET", THINGS));
    const { resourceVersion } = JSON.parse(await send(restored, "GET", THINGS)).metadata;
    expectExact(await send(restored, "PATCH", `${THINGS}/a`, '{"metadata":{"labels":{"x":"w"}}}'));
    const events = await send(restored, "GET", `${THINGS}?watch=1&timeoutSeconds=1&resourceVersion=${resourceVersion}`);
    expect(events).toMatch(/^\{"type":"MODIFIED"/);
    expectExact(events);
    expectExact(encodeSnapshot(restored.snapshot()));
    expect(restored.snapshot().credentials.authority.certificate).toBe(cluster.snapshot().credentials.authority.certificate);
  });

  test("in a folder, across restarts", async () => {
    const file = mkdtempSync(path.join(tmpdir(), "pintle-integers-"));
    try {
      const first = await startCluster({ store: { file }, without: true, plainHttp: true });
      await send(first, "POST", CRDS, CRD);
      await send(first, "POST", THINGS, THING);
      await first.stop();
      const second = await startCluster({ store: { file }, without: true, plainHttp: true });
      expectExact(await send(second, "GET", `${THINGS}/a`));
      await second.stop();
    } finally {
      rmSync(file, { recursive: true });
    }
  });
});

test.each(["", "{}", "[]", "null", '{"format":"other"}', '{"format":"pintle-snapshot/1"'])("%j is not a snapshot", (text) => {
  expect(decodeSnapshot(Buffer.from(text))).toBeUndefined();
});

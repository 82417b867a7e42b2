import { connect, type IncomingHttpHeaders } from "node:http2";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import type { JsonObject } from "pintle/kinds";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { encodeProtobuf } from "../../src/codec/index.ts";
import { type Cluster, startCluster } from "../../src/index.ts";
import { CONFIG_MAPS } from "../hostile/hostile-request.ts";
import { type Credentials, readCredentials } from "../hostile/raw-client.ts";

const COUNT = 300;
let cluster: Cluster;
let credentials: Credentials;
let expected: JsonObject & { readonly items: readonly { readonly metadata: { readonly name: string }; readonly data: JsonObject }[] };

beforeAll(async () => {
  cluster = await startCluster({ without: true, http: true });
  credentials = readCredentials(cluster.kubeconfig);
  for (let index = 0; index < COUNT; index++) {
    const data = { text: `${index} ü "${"x".repeat(index === 7 ? 600_000 : 3_000)}` };
    await cluster.transport.request({ method: "POST", path: CONFIG_MAPS, body: { metadata: { name: `c${index}` }, data } });
  }
  expected = (await (await cluster.transport.request({ method: "GET", path: CONFIG_MAPS })).json()) as typeof expected;
});
afterAll(() => cluster.stop());

async function get(path: string, headers: IncomingHttpHeaders): Promise<{ readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }> {
  const session = connect(credentials.url, credentials);
  try {
    const stream = session.request({ ":path": path, ...headers });
    const responded = new Promise<IncomingHttpHeaders>((resolve) => stream.once("response", resolve));
    const bytes = await buffer(stream);
    return { headers: await responded, bytes };
  } finally {
    session.destroy();
  }
}

test.each([
  ["JSON", CONFIG_MAPS, {}, (bytes: Buffer) => JSON.parse(bytes.toString())],
  ["indented JSON", `${CONFIG_MAPS}?pretty=1`, {}, (bytes: Buffer) => JSON.parse(bytes.toString())],
  ["YAML", CONFIG_MAPS, { accept: "application/yaml" }, (bytes: Buffer) => parse(bytes.toString())],
  ["compressed JSON", CONFIG_MAPS, { "accept-encoding": "gzip" }, (bytes: Buffer) => JSON.parse(gunzipSync(bytes).toString())],
])("a list that is longer than a chunk arrives whole as %s", async (_form, path, headers, decode) => {
  const { headers: got, bytes } = await get(path, headers);
  if (got["content-length"] !== undefined) expect(Number(got["content-length"])).toBe(bytes.length);
  const { items } = decode(bytes) as typeof expected;
  expect(items.map(({ metadata, data }) => [metadata.name, data])).toEqual(
    expected.items.map(({ metadata, data }) => [metadata.name, data]),
  );
});

test("a list that is longer than a chunk arrives whole as protobuf", async () => {
  const { headers, bytes } = await get(CONFIG_MAPS, { accept: "application/vnd.kubernetes.protobuf" });
  expect(Number(headers["content-length"])).toBe(bytes.length);
  expect(bytes.equals(encodeProtobuf(expected))).toBe(true);
});

test("lists whose clients do not read cost a chunk each, not a list each", async () => {
  const session = connect(credentials.url, credentials);
  const before = process.memoryUsage();
  const streams = Array.from({ length: 100 }, () => session.request({ ":path": CONFIG_MAPS }));
  await Promise.all(streams.map((stream) => new Promise((resolve) => stream.once("response", resolve))));
  await get("/version", {});
  const { arrayBuffers, external } = process.memoryUsage();
  // 100 lists of 1.5 MB; a chunk is 256 KB, except where an object is longer.
  expect(arrayBuffers - before.arrayBuffers).toBeLessThan(100 * 0.6e6);
  expect(external - before.external).toBeLessThan(100 * 0.6e6);
  session.destroy();
});

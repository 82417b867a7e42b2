import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeProtobuf } from "../../src/codec/index.ts";
import { CONFIG_MAPS, startWidgetApiServer, type TestApiServer, WIDGETS, widget } from "./harness.ts";

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const PARTIAL = `${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;

let api: TestApiServer;
beforeAll(async () => {
  api = await startWidgetApiServer();
  await api.send("POST", WIDGETS, widget("a", { spec: { size: 1 } }));
  await api.send("POST", CONFIG_MAPS, { metadata: { name: "a", labels: { b: "c" } }, data: { z: "1", u: "ß" } });
});
afterAll(() => api.cluster.stop());

/** Sends a request and decodes its response as a client does. */
async function ask(path: string, accept: string, query: Readonly<Record<string, string>> = {}) {
  const answer = await api.cluster.transport.request({ method: "GET", path, query, headers: { accept } });
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.bytes()) {
    chunks.push(chunk);
    if (query["watch"] !== undefined) break;
  }
  return { status: answer.status, type: answer.headers["content-type"], bytes: Buffer.concat(chunks) };
}

describe("responses in protobuf", () => {
  test("an object equals its JSON form", async () => {
    const { type, bytes } = await ask(`${CONFIG_MAPS}/a`, `${PROTOBUF},application/json`);
    expect(type).toBe(PROTOBUF);
    expect(decodeProtobuf(bytes).object).toEqual((await api.send("GET", `${CONFIG_MAPS}/a`)).body);
  });

  test("a list has the same objects on every request", async () => {
    const { bytes } = await ask(CONFIG_MAPS, PROTOBUF);
    const one = await ask(`${CONFIG_MAPS}/a`, PROTOBUF);
    expect(bytes.toString("latin1", 4, 40)).toContain("ConfigMapList");
    // After the head of its envelope, an object has the bytes of a list item.
    expect(bytes.includes(one.bytes.subarray(40, -4))).toBe(true);
    expect((await ask(CONFIG_MAPS, PROTOBUF)).bytes.equals(bytes)).toBe(true);
  });

  test("a watch sends length-prefixed events", async () => {
    const { type, bytes } = await ask(CONFIG_MAPS, PROTOBUF, { watch: "true", fieldSelector: "metadata.name=a" });
    expect(type).toBe(`${PROTOBUF};stream=watch`);
    expect(bytes.readUInt32BE(0)).toBe(bytes.length - 4);
    expect(bytes.toString("latin1", 4, 11)).toBe("\n\u0005ADDED");
    const object = bytes.subarray(bytes.indexOf("k8s\0"));
    expect(decodeProtobuf(object).object).toEqual((await api.send("GET", `${CONFIG_MAPS}/a`)).body);
  });

  test("an error is encoded as a Status", async () => {
    const { status, type, bytes } = await ask(`${CONFIG_MAPS}/none`, PROTOBUF);
    expect([status, type]).toEqual([404, PROTOBUF]);
    expect(bytes.toString()).toContain('configmaps "none" not found');
  });

  test("custom resources are refused with 406, but their metadata is encoded", async () => {
    expect((await ask(`${WIDGETS}/a`, PROTOBUF)).status).toBe(406);
    expect((await ask(`${WIDGETS}/a`, `${PROTOBUF},application/json`)).type).toBe("application/json");
    const { type, bytes } = await ask(`${WIDGETS}/a`, PARTIAL);
    expect([type, bytes.toString("latin1", 8, 45)]).toEqual([PROTOBUF, expect.stringContaining("PartialObjectMetadata")]);
  });
});

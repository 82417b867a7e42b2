import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeProtobuf } from "../../src/codec/index.ts";
import { type Api, CONFIG_MAPS, startWidgets, WIDGETS, widget } from "./harness.ts";

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const PARTIAL = `${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;

let api: Api;
beforeAll(async () => {
  api = await startWidgets();
  await api.send("POST", WIDGETS, widget("a", { spec: { size: 1 } }));
  await api.send("POST", CONFIG_MAPS, { metadata: { name: "a", labels: { b: "c" } }, data: { z: "1", u: "ß" } });
});
afterAll(() => api.cluster.stop());

/** An answer, its bytes read as any client would. */
async function ask(path: string, accept: string, query: Readonly<Record<string, string>> = {}) {
  const answer = await api.cluster.transport.request({ method: "GET", path, query, headers: { accept } });
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.bytes()) {
    chunks.push(chunk);
    if (query["watch"] !== undefined) break;
  }
  return { status: answer.status, type: answer.headers["content-type"], bytes: Buffer.concat(chunks) };
}

describe("answers in protobuf", () => {
  test("an object is the same as in JSON", async () => {
    const { type, bytes } = await ask(`${CONFIG_MAPS}/a`, `${PROTOBUF},application/json`);
    expect(type).toBe(PROTOBUF);
    expect(decodeProtobuf(bytes).object).toEqual((await api.send("GET", `${CONFIG_MAPS}/a`)).body);
  });

  test("a list holds the same objects, again and again", async () => {
    const { bytes } = await ask(CONFIG_MAPS, PROTOBUF);
    const one = await ask(`${CONFIG_MAPS}/a`, PROTOBUF);
    expect(bytes.toString("latin1", 4, 40)).toContain("ConfigMapList");
    // Behind the head of its envelope, an object is what it is in a list.
    expect(bytes.includes(one.bytes.subarray(40, -4))).toBe(true);
    expect((await ask(CONFIG_MAPS, PROTOBUF)).bytes.equals(bytes)).toBe(true);
  });

  test("a watch sends events with their lengths in front", async () => {
    const { type, bytes } = await ask(CONFIG_MAPS, PROTOBUF, { watch: "true", fieldSelector: "metadata.name=a" });
    expect(type).toBe(`${PROTOBUF};stream=watch`);
    expect(bytes.readUInt32BE(0)).toBe(bytes.length - 4);
    expect(bytes.toString("latin1", 4, 11)).toBe("\n\u0005ADDED");
    const object = bytes.subarray(bytes.indexOf("k8s\0"));
    expect(decodeProtobuf(object).object).toEqual((await api.send("GET", `${CONFIG_MAPS}/a`)).body);
  });

  test("an error is a Status", async () => {
    const { status, type, bytes } = await ask(`${CONFIG_MAPS}/none`, PROTOBUF);
    expect([status, type]).toEqual([404, PROTOBUF]);
    expect(bytes.toString()).toContain('configmaps "none" not found');
  });

  test("custom resources have no such form, but their metadata has", async () => {
    expect((await ask(`${WIDGETS}/a`, PROTOBUF)).status).toBe(406);
    expect((await ask(`${WIDGETS}/a`, `${PROTOBUF},application/json`)).type).toBe("application/json");
    const { type, bytes } = await ask(`${WIDGETS}/a`, PARTIAL);
    expect([type, bytes.toString("latin1", 8, 45)]).toEqual([PROTOBUF, expect.stringContaining("PartialObjectMetadata")]);
  });
});

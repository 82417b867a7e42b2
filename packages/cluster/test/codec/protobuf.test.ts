import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import type { Json, JsonObject } from "pintle/kinds";
import { describe, expect, test } from "vitest";
import { BodyDecodeError, decodeJson, decodeProtobuf, encodeProtobuf, getMessageTable } from "../../src/codec/index.ts";

interface Recorded {
  readonly protobuf: string;
  readonly json: string;
}

function readRecorded(name: string): readonly Recorded[] {
  return JSON.parse(gunzipSync(readFileSync(path.join(import.meta.dirname, name))).toString()) as readonly Recorded[];
}
const decodeRecorded = ({ protobuf }: Recorded) => decodeProtobuf(Buffer.from(protobuf, "base64"));
const expectedValue = ({ json }: Recorded) => decodeJson(json).value as JsonObject;
const withTitle = (each: Recorded) => {
  const { kind, metadata } = expectedValue(each);
  return [`${String(kind)} ${String((metadata as JsonObject)["name"] ?? "")}`, each] as const;
};

describe("bodies recorded from a real server", () => {
  const answers = readRecorded("bodies.json.gz");

  test.each(answers.map(withTitle))("%s", (_, answer) => {
    const { object, apiVersion, kind } = decodeRecorded(answer);
    const json = expectedValue(answer);
    expect(object).toEqual(withoutTemplateTypes(json));
    expect({ apiVersion, kind }).toEqual({ apiVersion: json["apiVersion"], kind: json["kind"] });
  });

  // Its caBundle is set but empty, which JSON does not show.
  const comparable = answers.filter((answer) => !answer.json.includes("capture-validating"));

  test.each(comparable.map(withTitle))("encodes %s byte for byte as the server", (_, answer) => {
    expect(encodeProtobuf(expectedValue(answer)).toString("base64")).toBe(answer.protobuf);
  });

  test("covers every built-in kind that a server responds with", () => {
    const seen = new Set(answers.map((answer) => `${expectedValue(answer)["apiVersion"]}/${expectedValue(answer)["kind"]}`));
    const known = [...getMessageTable().kinds.keys()];
    const onlySent = ["v1/Binding", "policy/v1/Eviction", "authentication.k8s.io/v1/TokenRequest"];
    const others = ["v1/ComponentStatus", "autoscaling/v1/HorizontalPodAutoscaler", ...onlySent];
    expect(known.length).toBeGreaterThan(60);
    expect(known.filter((kind) => !seen.has(kind) && !others.includes(kind))).toEqual([]);
  });

  /** Removes type metadata that protobuf omits and the server adds to JSON. */
  function withoutTemplateTypes(object: JsonObject): JsonObject {
    return JSON.parse(JSON.stringify(object), (key, value: Json) =>
      key === "volumeClaimTemplates" ? (value as JsonObject[]).map(({ apiVersion: _, kind: __, ...rest }) => rest) : value,
    ) as JsonObject;
  }
});

// Recorded between kubectl and a real server, which stored the same objects for the protobuf and for this JSON.
test.each(readRecorded("sent.json.gz").map(withTitle))("decodes %s as sent by kubectl", (_, sent) => {
  expect(decodeRecorded(sent).object).toEqual(expectedValue(sent));
});

describe("details", () => {
  const envelope = (raw: readonly number[], apiVersion = "v1", kind = "ConfigMap") =>
    Uint8Array.from([0x6b, 0x38, 0x73, 0, ...message(1, [...text(1, apiVersion), ...text(2, kind)]), ...message(2, raw)]);
  const message = (field: number, bytes: readonly number[]) => [(field << 3) | 2, ...varint(BigInt(bytes.length)), ...bytes];
  const text = (field: number, value: string) => message(field, [...Buffer.from(value)]);
  const varint = (value: bigint): number[] => (value < 128n ? [Number(value)] : [Number(value & 127n) | 128, ...varint(value >> 7n)]);

  test("keeps all digits and the sign of integers", () => {
    const revision = (value: bigint) =>
      decodeProtobuf(envelope([3 << 3, ...varint(BigInt.asUintN(64, value))], "apps/v1", "ControllerRevision")).object["revision"];
    expect(revision(9007199254740993n)).toBe(9007199254740993n);
    expect(revision(-9223372036854775808n)).toBe(-9223372036854775808n);
    expect([revision(-1n), revision(0n), revision(1n << 28n), revision((1n << 53n) - 1n)]).toEqual([-1, 0, 2 ** 28, 2 ** 53 - 1]);
  });

  test("decodes map keys such as __proto__ as plain keys", () => {
    const { object } = decodeProtobuf(envelope(message(2, [...text(1, "__proto__"), ...text(2, "x")])));
    expect(Object.entries(object["data"] as JsonObject)).toEqual([["__proto__", "x"]]);
  });

  test("skips fields of later versions", () => {
    expect(decodeProtobuf(envelope([...text(15, "later"), 14 << 3, 1, ...message(1, text(1, "n"))])).object).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "n" },
    });
  });

  test("decodes DeleteOptions of every group-version", () => {
    const body = envelope([1 << 3, 5, ...text(4, "Background")], "batch/v1", "DeleteOptions");
    expect(decodeProtobuf(body).object).toEqual({
      apiVersion: "batch/v1",
      kind: "DeleteOptions",
      gracePeriodSeconds: 5,
      propagationPolicy: "Background",
    });
  });

  test("uses the expected kind if the body names none", () => {
    const body = Uint8Array.from([0x6b, 0x38, 0x73, 0, ...message(2, message(1, text(1, "n")))]);
    expect(decodeProtobuf(body, { apiVersion: "v1", kind: "Secret" }).kind).toBe("Secret");
    expect(() => decodeProtobuf(body)).toThrow("Object 'Kind' is missing");
  });

  test.each([
    ["an empty body", new Uint8Array(), "empty data"],
    ["JSON", Buffer.from("{}"), "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"],
    ["a truncated body", envelope(message(1, text(1, "n"))).slice(0, -2), "unexpected EOF"],
    ["a number in place of a string", envelope([(1 << 3) | 0, 1]), "proto: wrong wireType = 0 for field metadata"],
    ["groups", envelope([(9 << 3) | 3]), "proto: illegal wireType 3"],
    ["an unknown kind", envelope([], "example.com/v1", "Thing"), 'no kind "Thing" is registered for version "example.com/v1"'],
    ["a time out of range", envelope(message(1, message(8, [1 << 3, ...varint(1n << 62n)]))), "time is out of range"],
  ])("refuses %s", (_, bytes, why) => {
    expect(() => decodeProtobuf(bytes)).toThrow(BodyDecodeError);
    expect(() => decodeProtobuf(bytes)).toThrow(why);
  });
});

test("a body of an older apiVersion is decoded with the message of the expected one", () => {
  const field = (number: number, bytes: Uint8Array) => Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
  const typeMeta = Buffer.concat([field(1, Buffer.from("policy/v1beta1")), field(2, Buffer.from("Eviction"))]);
  const eviction = field(1, field(1, Buffer.from("web-0")));
  const body = Buffer.concat([Buffer.from("k8s\0"), field(1, typeMeta), field(2, eviction)]);
  const expectedValue = { apiVersion: "policy/v1", kind: "Eviction" };
  expect(() => decodeProtobuf(body, expectedValue)).toThrow('no kind "Eviction" is registered for version "policy/v1beta1"');
  expect(decodeProtobuf(body, { ...expectedValue, olderApiVersions: ["policy/v1beta1"] }).object).toMatchObject({
    apiVersion: "policy/v1beta1",
    kind: "Eviction",
    metadata: { name: "web-0" },
  });
});

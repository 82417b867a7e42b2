import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import type { Json, JsonObject } from "pintle/kinds";
import { describe, expect, test } from "vitest";
import { BodyError, decodeJson, decodeProtobuf, encodeProtobuf, protobuf } from "../../src/codec/index.ts";

interface Recorded {
  readonly protobuf: string;
  readonly json: string;
}

function recorded(name: string): readonly Recorded[] {
  return JSON.parse(gunzipSync(readFileSync(path.join(import.meta.dirname, name))).toString()) as readonly Recorded[];
}
const decoded = ({ protobuf }: Recorded) => decodeProtobuf(Buffer.from(protobuf, "base64"));
const expected = ({ json }: Recorded) => decodeJson(json).value as JsonObject;
const titled = (each: Recorded) => {
  const { kind, metadata } = expected(each);
  return [`${String(kind)} ${String((metadata as JsonObject)["name"] ?? "")}`, each] as const;
};

describe("what a real server sends in both forms", () => {
  const answers = recorded("bodies.json.gz");

  test.each(answers.map(titled))("%s", (_, answer) => {
    const { object, apiVersion, kind } = decoded(answer);
    const json = expected(answer);
    expect(object).toEqual(withoutTemplateTypes(json));
    expect({ apiVersion, kind }).toEqual({ apiVersion: json["apiVersion"], kind: json["kind"] });
  });

  // Its caBundle is there, but empty, which JSON does not tell.
  const tellable = answers.filter((answer) => !answer.json.includes("capture-validating"));

  test.each(tellable.map(titled))("%s is written byte by byte alike", (_, answer) => {
    expect(encodeProtobuf(expected(answer)).toString("base64")).toBe(answer.protobuf);
  });

  test("every built-in kind that a server answers with is among them", () => {
    const seen = new Set(answers.map((answer) => `${expected(answer)["apiVersion"]}/${expected(answer)["kind"]}`));
    const known = [...protobuf.matchAll(/^\t(\w+)@(\S+)/gm)].map(([, kind, groupVersion]) => `${groupVersion}/${kind}`);
    const onlySent = ["v1/Binding", "policy/v1/Eviction", "authentication.k8s.io/v1/TokenRequest"];
    const others = ["v1/ComponentStatus", "autoscaling/v1/HorizontalPodAutoscaler", ...onlySent];
    expect(known.length).toBeGreaterThan(60);
    expect(known.filter((kind) => !seen.has(kind) && !others.includes(kind))).toEqual([]);
  });

  /** Protobuf does not carry them; the server writes them anew into JSON. */
  function withoutTemplateTypes(object: JsonObject): JsonObject {
    return JSON.parse(JSON.stringify(object), (key, value: Json) =>
      key === "volumeClaimTemplates" ? (value as JsonObject[]).map(({ apiVersion: _, kind: __, ...rest }) => rest) : value,
    ) as JsonObject;
  }
});

// Recorded between kubectl and a real server, which made the same objects of the protobuf and of this JSON.
test.each(recorded("sent.json.gz").map(titled))("kubectl sends %s", (_, sent) => {
  expect(decoded(sent).object).toEqual(expected(sent));
});

describe("details", () => {
  const envelope = (raw: readonly number[], apiVersion = "v1", kind = "ConfigMap") =>
    Uint8Array.from([0x6b, 0x38, 0x73, 0, ...message(1, [...text(1, apiVersion), ...text(2, kind)]), ...message(2, raw)]);
  const message = (field: number, bytes: readonly number[]) => [(field << 3) | 2, ...varint(BigInt(bytes.length)), ...bytes];
  const text = (field: number, value: string) => message(field, [...Buffer.from(value)]);
  const varint = (value: bigint): number[] => (value < 128n ? [Number(value)] : [Number(value & 127n) | 128, ...varint(value >> 7n)]);

  test("integers keep all their digits and their sign", () => {
    const revision = (value: bigint) =>
      decodeProtobuf(envelope([3 << 3, ...varint(BigInt.asUintN(64, value))], "apps/v1", "ControllerRevision")).object["revision"];
    expect(revision(9007199254740993n)).toBe(9007199254740993n);
    expect(revision(-9223372036854775808n)).toBe(-9223372036854775808n);
    expect([revision(-1n), revision(0n), revision(1n << 28n), revision((1n << 53n) - 1n)]).toEqual([-1, 0, 2 ** 28, 2 ** 53 - 1]);
  });

  test("keys are only keys", () => {
    const { object } = decodeProtobuf(envelope(message(2, [...text(1, "__proto__"), ...text(2, "x")])));
    expect(Object.entries(object["data"] as JsonObject)).toEqual([["__proto__", "x"]]);
  });

  test("fields of later versions are passed over", () => {
    expect(decodeProtobuf(envelope([...text(15, "later"), 14 << 3, 1, ...message(1, text(1, "n"))])).object).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "n" },
    });
  });

  test("delete options belong to every group-version", () => {
    const body = envelope([1 << 3, 5, ...text(4, "Background")], "batch/v1", "DeleteOptions");
    expect(decodeProtobuf(body).object).toEqual({
      apiVersion: "batch/v1",
      kind: "DeleteOptions",
      gracePeriodSeconds: 5,
      propagationPolicy: "Background",
    });
  });

  test("the kind expected stands in for a missing one", () => {
    const body = Uint8Array.from([0x6b, 0x38, 0x73, 0, ...message(2, message(1, text(1, "n")))]);
    expect(decodeProtobuf(body, { apiVersion: "v1", kind: "Secret" }).kind).toBe("Secret");
    expect(() => decodeProtobuf(body)).toThrow("Object 'Kind' is missing");
  });

  test.each([
    ["nothing", new Uint8Array(), "empty data"],
    ["JSON", Buffer.from("{}"), "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"],
    ["half a body", envelope(message(1, text(1, "n"))).slice(0, -2), "unexpected EOF"],
    ["a number where a text belongs", envelope([(1 << 3) | 0, 1]), "proto: wrong wireType = 0 for field metadata"],
    ["groups", envelope([(9 << 3) | 3]), "proto: illegal wireType 3"],
    ["an unknown kind", envelope([], "example.com/v1", "Thing"), 'no kind "Thing" is registered for version "example.com/v1"'],
    ["a time out of range", envelope(message(1, message(8, [1 << 3, ...varint(1n << 62n)]))), "time is out of range"],
  ])("%s is refused", (_, bytes, why) => {
    expect(() => decodeProtobuf(bytes)).toThrow(BodyError);
    expect(() => decodeProtobuf(bytes)).toThrow(why);
  });
});

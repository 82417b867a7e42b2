import type { JsonObject } from "pintle/kinds";
import { expect, test } from "vitest";
import { diffFields } from "./diff.ts";
import { maskSecretValues, redactSecretValues } from "./mask-secrets.ts";

const secret = (fields: JsonObject, annotations: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "a", annotations },
  ...fields,
});

test("masks as kubectl diff does: equal, changed, added and removed values", () => {
  const before = secret({ data: { same: "c2FtZQ==", changed: "b2xk", removed: "Z29uZQ==" }, type: "Opaque" });
  const after = secret({ data: { same: "c2FtZQ==", changed: "bmV3", added: "bmV3" }, type: "Other" });
  const [from, to] = maskSecretValues(before, after);
  expect(from["data"]).toEqual({ same: "***", changed: "*** (before)", removed: "***" });
  expect(to["data"]).toEqual({ same: "***", changed: "*** (after)", added: "***" });
  expect(diffFields(from, to)).toEqual([
    { path: "data.added", to: "***" },
    { path: "data.changed", from: "*** (before)", to: "*** (after)" },
    { path: "data.removed", from: "***" },
    { path: "type", from: "Opaque", to: "Other" },
  ]);
});

test("masks values that appear with the whole field, in stringData and in the last-applied annotation", () => {
  const name = "kubectl.kubernetes.io/last-applied-configuration";
  const before = secret({}, { [name]: '{"data":{"a":"b2xk"}}', note: "kept" });
  const after = secret({ data: { a: "bmV3" }, stringData: { b: "plain" } }, { [name]: '{"data":{"a":"bmV3"}}', note: "kept" });
  const [from, to] = maskSecretValues(before, after);
  const text = JSON.stringify([from, to, diffFields(from, to)]);
  for (const value of ["b2xk", "bmV3", "plain"]) expect(text).not.toContain(value);
  expect(diffFields(from, to)).toContainEqual({ path: "data", to: { a: "***" } });
  expect((to["metadata"] as JsonObject)["annotations"]).toEqual({ [name]: "*** (after)", note: "kept" });
});

test("leaves other kinds alone", () => {
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: "b" } };
  expect(maskSecretValues(map, map)).toEqual([map, map]);
  expect(redactSecretValues(map, "b")).toBe("b");
});

test("redacts values in messages, as they are, encoded and decoded", () => {
  const object = secret({ data: { token: Buffer.from("hunter2").toString("base64") }, stringData: { port: 5432, word: 'sa"y' } });
  const message = 'Secret "a" is invalid: hunter2, aHVudGVyMg==, expected string, got &value{Value:5432}, sa\\"y';
  expect(redactSecretValues(object, message)).toBe('Secret "a" is invalid: ***, ***, expected string, got &value{Value:***}, ***');
});

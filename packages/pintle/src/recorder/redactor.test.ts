import { expect, test } from "vitest";
import { virtualClock } from "../clock/index.ts";
import { createFlightRecorder } from "./flight-recorder.ts";
import { createRedactor } from "./redactor.ts";
import { findSensitiveFields } from "./sensitive-fields.ts";

const KEY = new Uint8Array(32).fill(7);
const base64 = (text: string) => Buffer.from(text).toString("base64");
const secret = (data: Record<string, string>, annotations?: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s", namespace: "d", uid: "u", ...(annotations === undefined ? {} : { annotations }) },
  data: Object.fromEntries(Object.entries(data).map(([name, value]) => [name, base64(value)])),
});

test("values of a Secret become keyed hashes: equal for equal values, different under another key, and names stay", () => {
  const redactor = createRedactor(KEY);
  const first = redactor.redactObject(secret({ a: "correct horse", b: "x" }));
  const second = redactor.redactObject(secret({ a: "correct horse", b: "y" }));
  const other = createRedactor(new Uint8Array(32)).redactObject(secret({ a: "correct horse", b: "x" }));
  expect(first).toMatchObject({
    kind: "Secret",
    metadata: { name: "s" },
    data: { a: expect.stringMatching(/^\(redacted [0-9a-f]{12}\)$/) },
  });
  expect((second["data"] as { a: string }).a).toBe((first["data"] as { a: string }).a);
  expect((second["data"] as { b: string }).b).not.toBe((first["data"] as { b: string }).b);
  expect((other["data"] as { a: string }).a).not.toBe((first["data"] as { a: string }).a);
  expect(redactor.redactObject(first)).toEqual(first);
});

test("the last-applied annotation of a Secret keeps its structure, and loses its values", () => {
  const annotation = "kubectl.kubernetes.io/last-applied-configuration";
  const text = JSON.stringify({
    kind: "Secret",
    metadata: { name: "s" },
    stringData: { a: "correct horse" },
    data: { b: base64("battery") },
  });
  const redacted = createRedactor(KEY).redactObject(secret({}, { [annotation]: text, other: "kept" }));
  const { annotations } = redacted["metadata"] as { readonly annotations: Record<string, string> };
  expect(annotations["other"]).toBe("kept");
  expect(JSON.parse(annotations[annotation]!)).toMatchObject({
    metadata: { name: "s" },
    stringData: { a: expect.stringMatching(/^\(redacted/) },
  });
  expect(annotations[annotation]).not.toMatch(/correct horse|battery|YmF0dGVyeQ/);
});

test("known values are replaced in texts in every form in which they appear, shorter ones than six bytes are not looked for", () => {
  const redactor = createRedactor(KEY);
  redactor.learnObject(secret({ a: 'p"ss&word\n', b: "short", binary: "\u0000" }));
  const plain = 'p"ss&word';
  for (const form of [plain, JSON.stringify(plain).slice(1, -1), encodeURIComponent(plain), base64(plain), base64(`${plain}\n`)]) {
    const redacted = redactor.redactText(`before ${form} after`);
    expect(redacted).toMatch(/^before \(redacted [0-9a-f]{12}\).*after$/);
    expect(redacted).not.toContain(form);
  }
  expect(redactor.redactText("a short text")).toBe("a short text");
  expect(redactor.redactText("nothing secret")).toBe("nothing secret");
});

test("the longest of overlapping values is replaced, and every occurrence is", () => {
  const redactor = createRedactor(KEY);
  for (const value of ["secret", "secret-token", "token-of-mine"]) redactor.learn(value);
  expect(redactor.redactText("secret-token, secret, secret-token-of-mine").replaceAll(/redacted [0-9a-f]{12}/g, "x")).toBe(
    "(x), (x), (x)-of-mine",
  );
});

test("fields of the format password are found in objects, lists and maps of a schema", () => {
  const password = { type: "string", format: "password" };
  const schema = {
    properties: {
      spec: {
        properties: { token: password, users: { items: { properties: { password } } }, keys: { additionalProperties: password }, size: {} },
      },
    },
  };
  const fields = findSensitiveFields(schema);
  const redactor = createRedactor(KEY);
  const object = {
    kind: "App",
    metadata: { name: "a" },
    spec: { token: "t", users: [{ name: "u", password: "hunter2hunter2" }], keys: { k: "abcdefgh" }, size: 3 },
  };
  redactor.learnObject(object, fields);
  const redacted = JSON.stringify(redactor.redactObject(object, fields));
  expect(redacted).toContain('"name":"u"');
  for (const value of ['"t"', "hunter2", "abcdefgh"]) expect(redacted).not.toContain(value);
  expect(redactor.redactText("login with hunter2hunter2")).not.toContain("hunter2");
  expect(findSensitiveFields({ properties: { spec: { properties: { size: { type: "integer" } } } } })).toBeUndefined();
});

test("a secret that becomes known later is removed from what was recorded before", () => {
  const recorder = createFlightRecorder({ clock: virtualClock() });
  recorder.record({ type: "log", level: "info", message: "connecting with correct horse", fields: { url: "https://u:correct horse@db" } });
  expect(recorder.text()).toContain("correct horse");
  recorder.learn({ id: "v1/Secret", version: "v1", kind: "Secret" }, secret({ password: "correct horse" }));
  expect(recorder.text()).not.toContain("correct horse");
  expect(recorder.facts()).toMatchObject([{ type: "log", message: expect.stringMatching(/^connecting with \(redacted/) }]);
  expect(Buffer.byteLength(recorder.text())).toBe(recorder.bytes);
});

test("an object version is recorded once, without its secrets, and again after it was dropped", () => {
  const recorder = createFlightRecorder({ clock: virtualClock(), maxBytes: 600 });
  const kind = { id: "v1/Secret", version: "v1", kind: "Secret" };
  const version = (resourceVersion: string) => ({
    ...secret({ a: "correct horse" }),
    metadata: { name: "s", namespace: "d", uid: "u", resourceVersion },
  });
  for (let i = 0; i < 3; i++)
    expect(recorder.noteObject(kind, version("1"))).toEqual({ kind: "Secret", namespace: "d", name: "s", uid: "u", resourceVersion: "1" });
  expect(recorder.facts()).toMatchObject([{ sequence: 1, type: "object", kind: "v1/Secret" }]);
  expect(recorder.text()).not.toContain(base64("correct horse"));
  for (let i = 2; i < 9; i++) recorder.noteObject(kind, version(String(i)));
  expect(recorder.dropped).toBeGreaterThan(0);
  recorder.noteObject(kind, version("1"));
  expect(recorder.facts().at(-1)).toMatchObject({ object: { metadata: { resourceVersion: "1" } } });
});

import { inspect } from "node:util";
import { expect, test } from "vitest";
import { virtualClock } from "../clock/index.ts";
import { createFlightRecorder } from "./flight-recorder.ts";
import { createRedactor } from "./redactor.ts";
import { findSensitiveFields, visitSensitiveDefaults } from "./sensitive-fields.ts";

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

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const hex = (text: string) => Buffer.from(text).toString("hex");
const urlOf = (password: string) => Object.assign(new URL("postgres://app@db/app"), { password }).href;
/** How programs print a value, each within a longer text. */
const PRINTED: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => `connecting with ${value} now`,
  json: (value) => JSON.stringify({ value }),
  "json in json": (value) => JSON.stringify(JSON.stringify({ value })),
  "json in json in json": (value) => JSON.stringify(JSON.stringify(JSON.stringify({ value }))),
  "json of Go": (value) => json(value).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("&", "\\u0026"),
  "ascii json": (value) => json(value).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  inspected: (value) => inspect({ value }),
  "component of a URL": (value) => `https://db/?p=${encodeURIComponent(value)}&x=1`,
  "form of a page": (value) => new URLSearchParams({ value, x: "1" }).toString(),
  "all percent": (value) => hex(value).replaceAll(/../g, "%$&"),
  "URL in JSON": (value) => JSON.stringify({ url: `https://db/?p=${encodeURIComponent(json(value))}` }),
  "password of a URL": urlOf,
  html: (value) => value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;"),
  shell: (value) => `'${value.replaceAll("'", "'\\''")}'`,
  base64,
  "base64 within": (value) => base64(`user:${value}, and more`),
  "base64 within, one on": (value) => base64(`user::${value}!`),
  "base64 within, two on": (value) => base64(`user:::${value}`),
  base64url: (value) => Buffer.from(`??${value}??`).toString("base64url"),
  hex,
  HEX: (value) => hex(value).toUpperCase(),
  bytes: (value) => JSON.stringify(Buffer.from(value)),
  cut: (value) => `no such user: ${value.slice(0, -1)}...`,
};

test("known values are replaced in texts in every form in which a program prints them, shorter ones than six bytes are not looked for", () => {
  const redactor = createRedactor(KEY);
  const values = ["hunter2hunter2", `p"ss&w<o>r'd\n$ü`, "with spaces / and+plus=100%", "C:\\new\\table", "漢字🔑漢字漢字", "12345678"];
  for (const value of values) redactor.learnObject(secret({ value: `${value}\n`, short: "short" }));
  for (const value of values)
    for (const [name, print] of Object.entries(PRINTED)) {
      const text = print(value);
      const redacted = redactor.redactText(text);
      expect(redacted, `${name}: ${text}`).toContain("(redacted ");
      // What is left is less than a part of it that says anything.
      for (const part of [value.slice(2, -2), base64(value).slice(4, -4), hex(value).slice(4, -4)])
        expect(redacted, name).not.toContain(part);
      expect(redactor.redactText(redacted)).toBe(redacted);
    }
  expect(redactor.redactText("a short text")).toBe("a short text");
  for (const text of ["nothing secret", "100%", "%zz \\", "&#9999999;", "eyJ.eyJ.short", "a... b…"])
    expect(redactor.redactText(text)).toBe(text);
});

test("what a structured value calls a secret is one by itself", () => {
  const redactor = createRedactor(KEY);
  const line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
  const login = base64("robot:registry-pass");
  redactor.learnObject(
    secret({
      uri: "postgres://app:p%40ss-in-url@db:5432/app",
      config: JSON.stringify({ auths: { "registry.example.com": { username: "robot-user", auth: login } } }),
      env: "LOG_LEVEL=verbosely\nexport API_TOKEN='token-of-env'\n",
      key: `-----BEGIN KEY-----\n${line}\n-----END KEY-----\n`,
      twice: base64("encoded twice"),
    }),
  );
  for (const part of ["p%40ss-in-url", "p@ss-in-url", login, "registry-pass", "token-of-env", line, "encoded twice"])
    expect(redactor.redactText(`got ${part}.`)).toMatch(/^got \(redacted [0-9a-f]{12}\)\.$/);
  for (const part of ["robot-user", "verbosely", "registry.example.com"]) expect(redactor.redactText(part)).toBe(part);
});

test("private keys, web tokens and authorization headers are replaced by their form, of any client", () => {
  const redactor = createRedactor(KEY);
  const token = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from('{"sub":"a"}').toString("base64url")}.c2lnbmF0dXJlLW9m`;
  const pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADANBgkqhki\n-----END RSA PRIVATE KEY-----";
  expect(redactor.redactText(`token=${token}; next`)).toMatch(/^token=\(redacted [0-9a-f]{12}\); next$/);
  expect(redactor.redactText(`key: ${pem}!`)).toMatch(/^key: \(redacted [0-9a-f]{12}\)-----END RSA PRIVATE KEY-----!$/);
  expect(redactor.redactText(JSON.stringify({ pem: pem.slice(0, 50) }))).toMatch(/^\{"pem":"\(redacted [0-9a-f]{12}\)$/);
  expect(redactor.redactText("Authorization: Basic dXNlcjpwYXNzd29yZA== sent")).toMatch(
    /^Authorization: Basic \(redacted [0-9a-f]{12}\) sent$/,
  );
});

test("numbers, and lists of the bytes, characters or lines of a value are replaced", () => {
  const redactor = createRedactor(KEY);
  redactor.learnObject(secret({ pin: "12345678", password: "correct horse", lines: "first line\nsecond line" }));
  const hidden = expect.stringMatching(/^\(redacted [0-9a-f]{12}\)$/);
  expect(
    redactor.redactValue({
      pin: 12_345_678,
      other: 7,
      characters: [..."correct horse"],
      chunks: ["the corr", "ect horse"],
      bytes: { type: "Buffer", data: [...Buffer.from("correct horse")] },
      lines: ["first line", "second line"],
      harmless: ["first", "line"],
    }),
  ).toEqual({
    pin: hidden,
    other: 7,
    characters: Array(13).fill(hidden),
    chunks: [hidden, hidden],
    bytes: { type: "Buffer", data: Array(13).fill(hidden) },
    lines: [hidden, hidden],
    harmless: ["first", "line"],
  });
});

test("values of more Secrets than are remembered are forgotten in the order in which they were last seen", () => {
  const redactor = createRedactor(KEY, 100);
  const used = secret({ used: "used all the time" });
  redactor.learn("seen once, long ago");
  for (let i = 0; i < 250; i++) {
    redactor.learn(`value number ${i}`);
    if (i % 20 === 0) redactor.learnObject(used);
  }
  for (const text of ["used all the time", "value number 249", "value number 150"]) expect(redactor.hasSecret(text)).toBe(true);
  expect(redactor.hasSecret("seen once, long ago")).toBe(false);
});

test("a value of a megabyte is found without being kept, also where it is cut", () => {
  const redactor = createRedactor(KEY);
  const value = Array.from({ length: 80_000 }, (_, i) => `line ${i} of it`).join("\n");
  redactor.learnObject(secret({ value }));
  for (const text of [value, JSON.stringify(value), base64(value), value.slice(0, 5_000)]) {
    const redacted = redactor.redactText(`<${text}>`);
    expect(redacted.length).toBeLessThan(100);
    expect(redacted).not.toContain("line");
  }
});

test("a default of a secret field is replaced in a schema, and found in texts", () => {
  const redactor = createRedactor(KEY);
  const schema = {
    type: "object",
    default: { token: "default-token-1" },
    properties: { token: { type: "string", format: "password", default: "default-token-2", enum: ["1234"] } },
  };
  visitSensitiveDefaults(schema, (value) => redactor.learn(String(value)));
  const redacted = redactor.redactValue(schema);
  expect(JSON.stringify(redacted)).not.toMatch(/default-token|1234/);
  expect(redacted).toMatchObject({ type: "object", properties: { token: { type: "string", format: "password" } } });
});

test("every occurrence is replaced, and values that overlap by one hash", () => {
  const redactor = createRedactor(KEY);
  for (const value of ["secret", "secret-token", "token-of-mine"]) redactor.learn(value);
  expect(redactor.redactText("secret-token, secret, secret-token-of-mine").replaceAll(/redacted [0-9a-f]{12}/g, "x")).toBe("(x), (x), (x)");
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

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { unzipSync, zipSync } from "fflate";
import { encodeSecretData } from "pintle";
import { seededRandom, virtualClock } from "pintle/internal/clock";
import { isJsonEqual } from "pintle/internal/merge";
import { createFlightRecorder } from "pintle/internal/recorder";
import type { JsonObject } from "pintle/kinds";
import { ConfigMap, Secret } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readTrace, startCluster } from "../../src/index.ts";
import { checkTrace, encodeTrace, parseTrace } from "../../src/trace/index.ts";
import { applyMergePatch, createMergePatch } from "../../src/trace/merge-patch.ts";
import { LIMITS } from "../../src/trace/trace-file.ts";

const folder = mkdtempSync(path.join(tmpdir(), "pintle-trace-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = path.join(folder, "sub", "a.pintle-trace");
let bytes: Uint8Array;
const text = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
/** The file with changed contents; hashes are those of the original, unless `rehash`. */
function change(edit: (files: Record<string, Uint8Array>) => void): Uint8Array {
  const files = unzipSync(bytes);
  edit(files);
  return zipSync(files);
}
const editManifest = (edit: (manifest: Record<string, unknown>) => void) =>
  change((files) => {
    const manifest = JSON.parse(Buffer.from(files["manifest.json"]!).toString()) as Record<string, unknown>;
    edit(manifest);
    files["manifest.json"] = text(manifest);
  });

const ABOUT = { source: "test", test: { name: "a test", file: "a.test.ts", error: "Error: no" }, output: "printed\n" } as const;

beforeAll(async () => {
  await using cluster = await startCluster({ recorder: true, clock: virtualClock(), random: seededRandom(1) });
  const client = cluster.client({ user: { name: "jane", groups: ["system:masters"] } });
  const at = { name: "c", namespace: "default" };
  await client.create(ConfigMap, { metadata: at, data: { a: "1", b: "2" } });
  await client.patch(ConfigMap, at, { merge: { data: { a: null, c: "3" } } });
  await client.create(Secret, { metadata: at, data: encodeSecretData({ password: "correct horse" }) });
  await client.delete(ConfigMap, at);
  await cluster.settled();
  await cluster.writeTrace(file, ABOUT);
  bytes = readFileSync(file);
});

test("a trace file has base, commits, facts and what it is about, and is as exact as the cluster", async () => {
  const trace = await readTrace(file);
  const { output, ...about } = ABOUT;
  expect(trace.manifest).toMatchObject({ format: "pintle-trace", version: 2, about });
  expect(trace.output).toBe(output);
  const ours = trace.commits.filter(({ key }) => key === "/registry/configmaps/default/c");
  expect(ours.map(({ operation, object }) => [operation, object?.["data"]])).toEqual([
    ["put", { a: "1", b: "2" }],
    ["put", { b: "2", c: "3" }],
    ["delete", undefined],
  ]);
  expect(trace.base.map(({ key }) => key)).toContain("/registry/namespaces/default");
  expect(trace.facts.filter(({ type }) => type === "commit").length).toBe(trace.commits.length);
  expect(trace.facts).toContainEqual(expect.objectContaining({ type: "request", user: "jane", verb: "delete" }));
  expect(checkTrace(trace)).toEqual([]);
});

test("the same recording gives the same bytes, and a recording over the limit keeps its end", async () => {
  const trace = await readTrace(file);
  const content = { ...trace, time: trace.manifest.time, revision: trace.manifest.revision, dropped: 0, about: trace.manifest.about };
  expect(Buffer.from(await encodeTrace(content)).equals(Buffer.from(await encodeTrace(content)))).toBe(true);
  const small = await parseTrace(await encodeTrace(content, 0.7 * bytes.length), "small");
  expect(small.commits.length).toBeLessThan(trace.commits.length);
  expect(small.commits.at(-1)).toEqual(trace.commits.at(-1));
  expect(small.manifest.dropped).toBeGreaterThan(0);
  expect(checkTrace(small)).toEqual([]);
});

test("check names secrets, credentials and facts that do not belong together, without their values", async () => {
  const trace = await readTrace(file);
  const plain = { apiVersion: "v1", kind: "Secret", metadata: { name: "s", annotations: {} }, data: { a: "cGFzc3dvcmQ=" } };
  const annotated = {
    ...plain,
    data: {},
    metadata: { name: "s", annotations: { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(plain) } },
  };
  const schemas = { "x.example.com/v1/X": { properties: { spec: { properties: { token: { format: "password" } } } } } };
  const custom = { apiVersion: "x.example.com/v1", kind: "X", metadata: { name: "x" }, spec: { token: "plain" } };
  const log = { sequence: 1, time: 0, type: "log", level: "info", run: "gone-1", message: "-----BEGIN RSA PRIVATE KEY-----" } as const;
  const problems = checkTrace({
    ...trace,
    schemas,
    base: [plain, annotated, custom].map((object, i) => ({ key: `/k/${i}`, revision: 1, object: object as JsonObject })),
    facts: [log],
  });
  expect(problems.map(({ type }) => type)).toEqual(["secret", "secret", "secret", "secret", "integrity"]);
  expect(problems.map(({ message }) => message).join("\n")).not.toMatch(/cGFzc3dvcmQ|plain$/);
});

test("a file of version 1, whose parts are not compressed with Brotli, is read as before", async () => {
  const files = unzipSync(bytes);
  const old = Object.entries(files).map(([name, content]) =>
    name.endsWith(".br") ? ([name.slice(0, -3), brotliDecompressSync(content)] as const) : ([name, content] as const),
  );
  const manifest = { ...(JSON.parse(Buffer.from(files["manifest.json"]!).toString()) as object), version: 1 };
  const read = await parseTrace(zipSync({ ...Object.fromEntries(old), "manifest.json": text(manifest) }), "x");
  const { manifest: _, ...now } = await parseTrace(bytes, "x");
  expect(read).toMatchObject(now);
});

test("a file that is none, is damaged, too large or newer is refused with one sentence", async () => {
  const middle = Math.floor(bytes.length / 2);
  const flipped = Uint8Array.from(bytes);
  for (let i = 0; i < 40; i++) flipped[middle + i]! ^= 0x5a;
  const bomb = zipSync({ "manifest.json": text({}), "facts.ndjson": new Uint8Array(5 * 1024 * 1024) }, { level: 1 });
  const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_LGWIN]: 24 } };
  const brotliBomb = brotliCompressSync(new Uint8Array(5 * 1024 * 1024), fast);
  const cases: readonly (readonly [RegExp, Uint8Array])[] = [
    [/is not a trace file of pintle$/, new Uint8Array(0)],
    [/is not a trace file of pintle$/, text("hello, this is text")],
    [/is truncated or damaged$/, bytes.slice(0, middle)],
    [/damaged/, flipped],
    [/is a zip file, but not a trace file of pintle$/, zipSync({ "a.txt": text("a") })],
    [/is a zip file, but not a trace file of pintle$/, zipSync({ "manifest.json": text({ format: "other" }) })],
    [/its manifest is no JSON$/, zipSync({ "manifest.json": text("{") })],
    [/its manifest is incomplete$/, zipSync({ "manifest.json": text({ format: "pintle-trace" }) })],
    [
      /was written by a newer pintle \(trace version 3, this one reads up to 2\): update pintle$/,
      editManifest((manifest) => (manifest["version"] = 3)),
    ],
    [/newer pintle/, editManifest((manifest) => (manifest["facts"] = 99))],
    [/"facts.ndjson" differs from its checksum$/, change((files) => (files["facts.ndjson.br"] = brotliCompressSync(text("{}\n"))))],
    [/"facts.ndjson" is missing$/, change((files) => delete files["facts.ndjson.br"])],
    [/is truncated or damaged$/, change((files) => (files["facts.ndjson.br"] = text("no brotli")))],
    [/is damaged: it holds "facts.ndjson" twice$/, change((files) => (files["facts.ndjson"] = text("{}\n")))],
    [/would take more than 4 MB of memory, and is refused$/, change((files) => (files["facts.ndjson.br"] = brotliBomb))],
    [/"..\/..\/evil" is missing$/, editManifest((manifest) => ((manifest["files"] as Record<string, unknown>)["../../evil"] = {}))],
    [/which its manifest does not list$/, change((files) => (files["extra"] = text("a")))],
    [/would take more than 4 MB of memory, and is refused$/, bomb],
    [
      /holds more than 1000 files, and is refused$/,
      zipSync(Object.fromEntries(Array.from({ length: 1_100 }, (_, i) => [`f${i}`, text("")]))),
    ],
  ];
  for (const [message, input] of cases) {
    const error = await parseTrace(input, "x.pintle-trace", { ...LIMITS, content: 4 * 1024 * 1024 }).then(
      () => undefined,
      (failure: Error & { code: string }) => failure,
    );
    expect(error?.message).toMatch(message);
    expect([error?.code, error?.message.includes("\n")]).toEqual(["PINTLE6572", false]);
  }
  await expect(readTrace(path.join(folder, "missing"))).rejects.toThrow("does not exist");
  await expect(readTrace(folder)).rejects.toThrow("cannot be read (EISDIR)");
});

test("contents that were made by hand are refused, whatever they are", async () => {
  const { createHash } = await import("node:crypto");
  const withContents = (contents: Readonly<Record<string, string>>) => {
    const files = Object.fromEntries(Object.entries(contents).map(([name, value]) => [name, text(value)]));
    const listed = Object.fromEntries(
      Object.entries(files).map(([name, value]) => [
        name,
        { bytes: value.length, sha256: createHash("sha256").update(value).digest("hex") },
      ]),
    );
    return zipSync({
      "manifest.json": text({ format: "pintle-trace", version: 1, facts: 1, about: {}, dropped: 0, files: listed }),
      ...files,
    });
  };
  const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  for (const contents of [
    { "facts.ndjson": "[]\n" },
    { "facts.ndjson": "null\n" },
    { "facts.ndjson": '{"type":"__proto__"}\n' },
    { "facts.ndjson": '{"type":"run","sequence":1,"time":1}\n' },
    { "facts.ndjson": '{"type":"object","sequence":1,"time":1,"kind":"a","commit":7}\n' },
    { "facts.ndjson": '{"type":"object","sequence":1,"time":1,"kind":"a","object":{"metadata":null}}\n' },
    { "commits.ndjson": '{"revision":1,"time":1,"operation":"put","key":"k","uid":"u","patch":{}}\n' },
    { "commits.ndjson": '{"revision":1,"time":1,"operation":"put","key":"k","uid":"u","object":[]}\n' },
    {
      "base.ndjson": `{"key":"k","revision":1,"object":${deep}}\n`,
      "commits.ndjson": `{"revision":2,"time":1,"operation":"put","key":"k","uid":"u","patch":${deep}}\n`,
    },
    { "schemas.json": "[]" },
  ])
    await expect(parseTrace(withContents(contents), "x")).rejects.toThrow(/^x is damaged: /);
  await expect(
    parseTrace(withContents({ "base.ndjson": '{"key":"k","revision":1,"object":{"__proto__":{"polluted":true}}}\n' }), "x"),
  ).resolves.toBeDefined();
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test("a small file that would fill the memory is refused", async () => {
  const { createHash } = await import("node:crypto");
  const withFiles = (contents: Readonly<Record<string, string>>) => {
    const files = Object.fromEntries(Object.entries(contents).map(([name, value]) => [name, text(value)]));
    const listed = Object.fromEntries(
      Object.entries(files).map(([name, value]) => [name, { sha256: createHash("sha256").update(value).digest("hex") }]),
    );
    const manifest = { format: "pintle-trace", version: 1, facts: 1, about: {}, dropped: 0, files: listed };
    return zipSync({ "manifest.json": text(manifest), ...files }, { level: 1 });
  };
  const wide = { metadata: { uid: "u" }, data: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, i])) };
  const base = `${JSON.stringify({ key: "k", revision: 1, object: wide })}\n`;
  const patch = (i: number) => `${JSON.stringify({ revision: i, time: 1, operation: "put", key: "k", patch: { data: { a: i } } })}\n`;
  const patches = Array.from({ length: 100 }, (_, i) => patch(i + 2)).join("");
  const limits = { ...LIMITS, values: 1_000, copies: 5_000 };
  for (const contents of [
    // Each patch copies 100 fields.
    { "base.ndjson": base, "commits.ndjson": patches },
    // A list takes 16 times the memory of its two characters.
    { "facts.ndjson": `{"a":[${"[],".repeat(1_000)}[]]}\n` },
    { "facts.ndjson": "{}\n".repeat(1_000) },
  ])
    await expect(parseTrace(withFiles(contents), "x", limits)).rejects.toThrow("x would take more than 256 MB of memory, and is refused");
  await expect(parseTrace(withFiles({ "base.ndjson": base, "commits.ndjson": patch(2) }), "x", limits)).resolves.toBeDefined();
});

test("random damage never gives more than one sentence (seed 7)", async () => {
  const random = seededRandom(7);
  for (let i = 0; i < 300; i++) {
    const damaged = Uint8Array.from(random() < 0.3 ? bytes.slice(0, Math.floor(random() * bytes.length)) : bytes);
    for (let j = 0; j < 1 + random() * 8; j++) damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256);
    await parseTrace(damaged, "x").catch((error: Error & { code?: string }) => {
      expect([error.code, error.message.split("\n").length]).toEqual(["PINTLE6572", 1]);
    });
  }
});

test("a merge patch makes the new object of the old one, or says that it cannot (seed 3)", () => {
  const random = seededRandom(3);
  const create = (depth: number): JsonObject =>
    Object.fromEntries(
      Array.from({ length: Math.floor(random() * 4) }, () => {
        const value = [1, "a", null, [1, null], true][Math.floor(random() * 5)] as never;
        return ["abc__proto__".slice(0, 1 + Math.floor(random() * 3)), depth > 0 && random() < 0.6 ? create(depth - 1) : value];
      }),
    );
  let patched = 0;
  for (let i = 0; i < 2_000; i++) {
    const [old, now] = [create(3), create(3)];
    const patch = createMergePatch(old, now);
    if (patch === undefined) continue;
    patched++;
    expect(isJsonEqual(applyMergePatch(old, patch), now)).toBe(true);
  }
  expect(patched).toBeGreaterThan(500);
});

test("a recorder without a cluster has nothing to write a trace of", async () => {
  await using cluster = await startCluster();
  await expect(cluster.writeTrace(file)).rejects.toThrow("cluster.writeTrace: the cluster is not recorded");
  expect(createFlightRecorder().text()).toBe("");
});

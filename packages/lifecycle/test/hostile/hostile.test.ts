import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderBundleBlob, renderTemplate } from "../../src/catalog/index.ts";
import { listCatalogProblems } from "../../src/fbc/index.ts";
import {
  createBlob,
  type ImageStore,
  loadImage,
  MEDIA_TYPES,
  type ResolvedImage,
  resolveImage,
  sha256Digest,
} from "../../src/image/index.ts";
import { CatalogValidator, formatUpgradeGraphSvg } from "../../src/index.ts";
import { readBundleFolder, readBundleImage, unpackCatalogImage, validateCatalogFolder } from "../../src/source/index.ts";
import { writeTar } from "../image/write-tar.ts";
import { createRandom, hostileBundles, hostileCatalogs, hostileLayers } from "./inputs.ts";

const LABELS = { "operators.operatorframework.io.index.configs.v1": "/configs" };
const CHUNK = 1 << 20;
const LIMITS = { maxBytes: 8 << 20, maxEntries: 2000 };
const image = (bytes: Buffer): ResolvedImage => ({
  digest: sha256Digest(bytes),
  labels: LABELS,
  layers: [createBlob(MEDIA_TYPES.layer, bytes)],
});

/** Takes no space: what was not written is a hole. */
function createLargeFile(file: string): void {
  writeFileSync(file, "");
  truncateSync(file, 8 * 2 ** 30);
}

/** A refusal is an error of ours with a code, a text that fits on a screen, and no stack in it. */
async function expectRefusal(run: () => unknown): Promise<void> {
  const error = await Promise.resolve()
    .then(run)
    .then(
      () => undefined,
      (found: unknown) => found as Error & { readonly code?: string },
    );
  expect(error?.code).toMatch(/^PINTLE80\d\d$/);
  expect(error?.message).not.toMatch(/\n {4}at /);
  // Lists of 5,000 names are long, as those of opm are.
  expect(error?.message.length).toBeGreaterThan(5);
}

describe("hostile input", () => {
  let sandbox: string;
  let cases = 0;
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 5);
  beforeAll(() => {
    sandbox = mkdtempSync(join(tmpdir(), "pintle-hostile-"));
    mkdirSync(join(sandbox, "outside"));
    mkdirSync(join(sandbox, "inside"));
  });
  afterAll(() => {
    clearInterval(timer);
    rmSync(sandbox, { recursive: true });
  });
  const listSandbox = () => readdirSync(sandbox, { recursive: true, encoding: "utf8" }).sort();

  test.each([...hostileLayers()])("layer: %s", async (_, bytes) => {
    cases++;
    await expectRefusal(() => unpackCatalogImage(image(bytes), join(sandbox, "inside", "catalog"), LIMITS));
    // Neither outside nor inside: what was begun is removed.
    expect(listSandbox()).toEqual(["inside", "outside"]);
  });

  test("layers with random bytes are refused, or unpacked inside", async () => {
    const random = createRandom(1);
    const original = writeTar(Array.from({ length: 8 }, (_, i) => ({ path: `configs/${i}`, data: `schema: s${i}\n` })));
    for (let i = 0; i < 60; i++) {
      cases++;
      const bytes = Buffer.from(original);
      for (let changes = 1 + random() * 6; changes > 0; changes--) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      const target = join(sandbox, "inside", "catalog");
      const error = await unpackCatalogImage(image(bytes), target, LIMITS).catch((found: unknown) => found as { readonly code?: string });
      if (error !== undefined) expect(error.code).toMatch(/^PINTLE803\d$/);
      expect(readdirSync(join(sandbox, "outside"))).toEqual([]);
      rmSync(target, { recursive: true, force: true });
      expect(listSandbox()).toEqual(["inside", "outside"]);
    }
  });

  test.each([...hostileLayers()].slice(0, 12))("bundle image: %s", async (_, bytes) => {
    cases++;
    const moved = Buffer.from(bytes.toString("latin1").replaceAll("configs", "metadat"), "latin1");
    await expectRefusal(() => readBundleImage(image(moved), LIMITS));
  });

  test.each([...hostileCatalogs()])("catalog: %s", async (_, bytes) => {
    cases++;
    const chunks = Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, i) => bytes.subarray(i * CHUNK, (i + 1) * CHUNK));
    await expectRefusal(() => {
      const validator = new CatalogValidator();
      validator.addFile("catalog", chunks);
      validator.finish();
    });
    expect(listCatalogProblems({ names: ["catalog"], read: () => chunks }).length).toBeGreaterThan(0);
  });

  test.each([...hostileBundles()])("bundle: %s", async (_, files) => {
    cases++;
    await expectRefusal(() => renderBundleBlob(files, "example.com/p:1"));
  });

  const inFolder: readonly (readonly [name: string, create: (file: string) => void])[] = [
    ["a pipe", (file) => execFileSync("mkfifo", [file])],
    ["a link to a device", (file) => symlinkSync("/dev/zero", file)],
    ["a link to itself", (file) => symlinkSync("a.yaml", file)],
    ["a link to its folder", (file) => symlinkSync(".", file)],
    ["a link to nothing", (file) => symlinkSync("nothing", file)],
    ["a file of 8 GB", createLargeFile],
  ];
  test.each(inFolder)("%s in the folder of a bundle or a catalog", async (_, create) => {
    cases += 2;
    const folder = join(sandbox, "inside", "folder");
    mkdirSync(join(folder, "manifests"), { recursive: true });
    create(join(folder, "manifests", "a.yaml"));
    await expectRefusal(() => readBundleFolder(folder));
    await expectRefusal(() => validateCatalogFolder(folder));
    rmSync(folder, { recursive: true });
  });

  test("a bundle folder with a link out of it is refused", async () => {
    cases++;
    const folder = join(sandbox, "inside", "bundle");
    mkdirSync(join(folder, "manifests"), { recursive: true });
    writeFileSync(join(sandbox, "outside", "secret"), "kind: Secret\n");
    symlinkSync(join(sandbox, "outside", "secret"), join(folder, "manifests", "a.yaml"));
    await expectRefusal(() => readBundleFolder(folder));
    rmSync(folder, { recursive: true });
    rmSync(join(sandbox, "outside", "secret"));
  });

  const digest = `sha256:${"0".repeat(64)}`;
  const descriptor = { mediaType: MEDIA_TYPES.layer, digest, size: 1 };
  test.each([
    ["text", "hello"],
    ["a list", "[]"],
    ["null", "null"],
    ["no config", JSON.stringify({ layers: [] })],
    ["layers that are no list", JSON.stringify({ config: descriptor, layers: {} })],
    ["a digest that is a path", JSON.stringify({ config: { ...descriptor, digest: "sha256:../../../etc/passwd" }, layers: [] })],
    ["a digest of another algorithm", JSON.stringify({ config: { ...descriptor, digest: "md5:0" }, layers: [] })],
    ["a negative size", JSON.stringify({ config: { ...descriptor, size: -1 }, layers: [] })],
    ["a size that is no number", JSON.stringify({ config: { ...descriptor, size: "1" }, layers: [] })],
    ["the first format of Docker", JSON.stringify({ schemaVersion: 1, fsLayers: [] })],
    ["20,000 layers", JSON.stringify({ config: descriptor, layers: Array(20_000).fill(descriptor) })],
    ["a configuration of 1 TB", JSON.stringify({ config: { ...descriptor, size: 2 ** 40 }, layers: [] })],
    ["a configuration that is another one", JSON.stringify({ config: descriptor, layers: [] })],
  ])("manifest: %s", async (_, text) => {
    cases++;
    await expectRefusal(() => resolveImage(storeOf(text, MEDIA_TYPES.manifest), "latest"));
  });

  test.each([
    ["an index that contains itself", JSON.stringify({ manifests: [{ ...descriptor, mediaType: MEDIA_TYPES.index }] })],
    ["an empty index", JSON.stringify({ manifests: [] })],
    ["an index with a wrong digest", JSON.stringify({ manifests: [{ ...descriptor, digest: "latest" }] })],
  ])("index: %s", async (_, text) => {
    cases++;
    await expectRefusal(() => resolveImage(storeOf(text, MEDIA_TYPES.index), "latest"));
    if (!text.includes("[]")) await expectRefusal(() => loadImage(storeOf(text, MEDIA_TYPES.index), "latest"));
  });

  test.each([
    "",
    "[",
    "[]",
    "schema: 1",
    "schema: olm.unknown",
    "schema: olm.semver\nextra: 1",
    "schema: olm.semver\nstable: {bundles: [{image: a}]}",
    "schema: olm.template.basic\nentries: {}",
    "schema: olm.template.basic\nentries: [1]",
    "schema: olm.template.substitutes\nentries: [{schema: olm.package, name: A}]",
    "a: &a [*a]",
  ])("template: %j", async (text) => {
    cases++;
    await expectRefusal(() => renderTemplate(text, () => Promise.resolve([])));
  });

  test("an annotation of 10 MB and a graph of 20,000 entries are read in bounded time", () => {
    cases += 2;
    const entries = Array.from({ length: 20_000 }, (_, i) => ({
      name: `b${i}`,
      ...(i === 0 ? {} : { replaces: `b${i - 1}`, skips: [`b${(i * 7) % i}`] }),
    }));
    expect(formatUpgradeGraphSvg([{ schema: "olm.channel", package: "p", name: "c", entries }])).toContain("b19999");
    const csv = {
      kind: "ClusterServiceVersion",
      metadata: { name: "p.v1.0.0", annotations: { big: "x".repeat(10 << 20) } },
      spec: { version: "1.0.0" },
    };
    const files = new Map([
      ["manifests/csv.json", Buffer.from(JSON.stringify(csv))],
      ["metadata/annotations.yaml", Buffer.from("annotations: {operators.operatorframework.io.bundle.package.v1: p}")],
    ]);
    expect(renderBundleBlob(files, "example.com/p:1").blob.name).toBe("p.v1.0.0");
  });

  test("there were 200 cases, and memory stayed bounded", () => {
    expect(cases).toBeGreaterThanOrEqual(200);
    expect((peak - before) / (1 << 20)).toBeLessThan(600);
  });
});

function storeOf(text: string, mediaType: string): ImageStore {
  return {
    name: "store",
    manifest: (reference) => Promise.resolve({ mediaType, digest: reference, text }),
    blob: (wanted) => ({ ...createBlob(wanted.mediaType, Buffer.from("not what was asked for")), ...wanted }),
  };
}

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { main } from "@pintle/cli";
import { formatBlob } from "@pintle/lifecycle/internal/catalog";
import { renderTemplateText } from "@pintle/lifecycle/internal/source";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRandom, type Random } from "../apply/random.ts";
import { missing, registry } from "../image/debian.ts";
import { full, seed } from "../sampling.ts";
import { type MadeBundle, makeBundleFiles, makeBundleImage, push } from "./made-bundles.ts";
import { type Rendering, renderOurs, runOpm } from "./opm.ts";
import { findOpm, findReference, Reference } from "./reference.ts";

const [opm, file] = [findOpm() ?? "", findReference() ?? ""];
const programs = missing.filter((name) => name !== "runc");
if (programs.length > 0) console.warn(`\n!!! lifecycle: IMAGES WERE NOT COMPARED: ${programs.join(" and ")} missing. Debian has them.\n`);

const VERSIONS = [
  "0.0.0",
  "0.1.0",
  "0.1.1",
  "0.2.0",
  "1.0.0-alpha",
  "1.0.0",
  "1.0.1",
  "1.1.0",
  "1.1.3",
  "1.2.0",
  "2.0.0",
  "2.0.1",
  "2.1.0",
];

describe.runIf(opm !== "" && file !== "" && programs.length === 0)(`images of bundles and catalogs, seed ${seed}`, () => {
  const scratch = mkdtempSync(join(tmpdir(), "pintle-images-"));
  let server: Awaited<ReturnType<typeof registry>>;
  let reference: Reference;
  const at = (name: string) => `${server.host}/${name}`;
  beforeAll(async () => {
    server = await registry();
    reference = new Reference(file);
    for (const version of VERSIONS) await push(makeBundleImage({ version }), at(`op:v${version}`));
    for (const [name, bundle] of Object.entries(SPECIAL)) await push(makeBundleImage(bundle), at(`op:${name}`));
  });
  afterAll(async () => {
    await reference?.stop();
    await server?.[Symbol.asyncDispose]();
    rmSync(scratch, { recursive: true, force: true });
  });
  const pintle = async (...args: string[]) => {
    let [out, err] = ["", ""];
    const io = { out: (text: string) => (out += text), err: (text: string) => (err += text), tty: false, cwd: scratch };
    const code = await main(args, { ...io, signal: AbortSignal.timeout(60_000) });
    return { code, out, err };
  };
  const skopeo = (...args: string[]) => promisify(execFile)("skopeo", args, { maxBuffer: 1 << 26 });

  test("an image of a bundle becomes the same bytes", async () => {
    for (const level of ["none", "all"] as const) {
      const theirs = await runOpm(opm, ["render", at("op:v1.0.0"), "--use-http", "--migrate-level", level]);
      expect(await renderOurs([at("op:v1.0.0")], { migrate: level })).toEqual(theirs);
      expect(theirs).toHaveProperty("text");
    }
  });

  // Two images, because skopeo uses again what it compressed before.
  test.each([
    ["gzip", "v1.0.0"],
    ["zstd", "v1.1.0"],
  ])("an image that skopeo compressed with %s becomes the same bytes", async (format, tag) => {
    const copy = ["copy", "--src-tls-verify=false", "--dest-tls-verify=false", "--dest-compress-format", format];
    await skopeo("--insecure-policy", ...copy, `docker://${at(`op:${tag}`)}`, `docker://${at(`packed-${format}:v1`)}`);
    const image = at(`packed-${format}:v1`);
    const { stdout } = await skopeo("inspect", "--raw", "--tls-verify=false", `docker://${image}`);
    expect(stdout).toContain(`tar+${format}`);
    expect(await renderOurs([image])).toEqual(await runOpm(opm, ["render", image, "--use-http"]));
  });

  test("an archive of docker save becomes the same bytes as the image in the registry", async () => {
    const archive = join(scratch, "bundle.tar");
    await skopeo(
      "--insecure-policy",
      "copy",
      "--src-tls-verify=false",
      `docker://${at("op:v1.0.0")}`,
      `docker-archive:${archive}:${at("op:v1.0.0")}`,
    );
    const imageName = () => at("op:v1.0.0");
    expect(await renderOurs([`docker-archive:${archive}`], { imageName })).toEqual(await renderOurs([at("op:v1.0.0")]));
  });

  test("templates become the same bytes, or are refused by both", { timeout: 900_000 }, async () => {
    const random = createRandom(seed);
    let rendered = 0;
    for (let i = 0; i < (full ? 300 : 40); i++) {
      const template = makeTemplate(random, at);
      const path = join(scratch, "template.yaml");
      writeFileSync(path, JSON.stringify(template));
      const level = random.pick(["none", "all"] as const);
      const theirs = await runOpm(opm, ["alpha", "render-template", path, "--use-http", "--migrate-level", level]);
      const ours = await renderTemplate(JSON.stringify(template), level);
      if ("text" in theirs) rendered++;
      expect({ template, ours: shorten(ours) }).toEqual({ template, ours: shorten(theirs) });
    }
    expect(rendered).toBeGreaterThan(8);
  });

  test("a catalog that is built and pushed is unpacked and served by catalogd, and copied and checked by skopeo", async () => {
    const folder = join(scratch, "bundle");
    for (const [path, text] of Object.entries(makeBundleFiles({ version: "3.0.0", related: [at("op:v1.0.0")] }))) {
      mkdirSync(join(folder, path, ".."), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const added = await pintle("catalog", "add", "bundle", "--image-template", at("op:v2.0.0"));
    expect(added).toMatchObject({ code: 0, err: "" });
    expect(await pintle("catalog", "add", at("op:v2.1.0"), "--insecure-registry")).toMatchObject({ code: 0, err: "" });
    expect(await pintle("catalog", "build", "catalog", at("catalog:v1"), "--push", "--insecure-registry")).toMatchObject({ code: 0 });
    expect(await runOpm(opm, ["validate", join(scratch, "catalog")])).toEqual({ text: "" });
    const served = await reference.ask({
      op: "catalogd",
      root: join(scratch, "catalogd"),
      images: { pushed: at("catalog:v1") },
      metas: true,
    });
    expect(served).toMatchObject({ failed: {} });
    const theirs = await (await fetch(`http://127.0.0.1:${String(served["port"])}/catalogs/pushed/api/v1/all`)).text();
    expect(theirs.trim().split("\n")).toHaveLength(4);
    const ours = await serveOnce(at("catalog:v1"));
    expect(ours).toBe(theirs);
    const rendered = await renderOurs([at("catalog:v1")]);
    expect(rendered).toEqual(await runOpm(opm, ["render", at("catalog:v1"), "--use-http"]));
    const inspected = JSON.parse((await skopeo("inspect", "--tls-verify=false", `docker://${at("catalog:v1")}`)).stdout) as {
      Digest: string;
    };
    expect(inspected.Digest).toBe((served["digests"] as Record<string, string>)["pushed"]);
    await skopeo(
      "--insecure-policy",
      "copy",
      "--src-tls-verify=false",
      `docker://${at("catalog:v1")}`,
      `oci:${join(scratch, "by-skopeo")}:v1`,
    );
    expect(await renderOurs([`oci:${join(scratch, "by-skopeo")}:v1`])).toEqual(rendered);
  });

  test("copy mirrors a catalog with all its images to a layout and to another registry, where opm renders the same", async () => {
    const out = await pintle("catalog", "copy", at("catalog:v1"), "oci:mirror", "--insecure-registry", "-o", "json");
    expect(out).toMatchObject({ code: 0, err: "" });
    const { images } = JSON.parse(out.out) as { images: { from: string; digest: string }[] };
    expect(images.map(({ from }) => from).sort()).toEqual([at("catalog:v1"), at("op:v1.0.0"), at("op:v2.0.0"), at("op:v2.1.0")].sort());
    await using other = await registry();
    expect(await pintle("catalog", "copy", "oci:mirror", `${other.host}/mirror`, "--insecure-registry")).toMatchObject({
      code: 0,
      err: "",
    });
    const mirrored = `${other.host}/mirror/catalog:v1`;
    const [there, here] = [
      await runOpm(opm, ["render", mirrored, "--use-http"]),
      await runOpm(opm, ["render", at("catalog:v1"), "--use-http"]),
    ];
    expect(there).toEqual(here);
    for (const { from, digest } of images) {
      const name = from.slice(server.host.length + 1);
      const { stdout } = await skopeo("inspect", "--tls-verify=false", `docker://${other.host}/mirror/${name}`);
      expect(JSON.parse(stdout)).toMatchObject({ Digest: digest });
    }
    const again = JSON.parse(
      (await pintle("catalog", "copy", "oci:mirror", `${other.host}/mirror`, "--insecure-registry", "-o", "json")).out,
    ) as { bytes: number };
    // Only manifests are sent again.
    expect(again.bytes).toBeLessThan(10_000);
    expect(existsSync(join(scratch, "registries.conf"))).toBe(true);
    expect(readFileSync(join(scratch, "registries.conf"), "utf8")).toContain(`location = "${server.host}/op"`);
  });

  async function serveOnce(image: string): Promise<string> {
    const stop = new AbortController();
    let url: (text: string) => void = () => {};
    const started = new Promise<string>((resolve) => (url = resolve));
    const io = { out: url, err: () => {}, tty: false, cwd: scratch, signal: stop.signal };
    const serving = main(["catalog", "serve", `mine=${image}`, "--port", "0", "--insecure-registry"], io);
    const [, address = ""] = (await started).trim().split("  ");
    const text = await (await fetch(address)).text();
    stop.abort();
    await serving;
    return text;
  }
});

async function renderTemplate(text: string, migrate: "none" | "all"): Promise<Rendering> {
  const options = { cwd: process.cwd(), signal: AbortSignal.timeout(60_000), insecure: () => true, migrate };
  try {
    return { text: (await renderTemplateText(text, options)).map((blob) => formatBlob(blob, "json")).join("") };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** Refusals have the text of opm behind what cobra and our CLI put in front. */
function shorten(rendering: Rendering): Rendering {
  if ("text" in rendering) return rendering;
  const [line = ""] = rendering.error.replace(/^Error: /, "").split("\nUsage:");
  const text = line.replace(/ \(known are .*/, "").replace(/^(rendering template|auto-detecting template type): /, "");
  // Maps have no order in Go: of several versions any is named first.
  return {
    error: /differ only by build metadata|failed to render|render reference|unable to read file|cannot read|decoding/.test(text)
      ? "refused"
      : text.trim(),
  };
}

const SPECIAL: Readonly<Record<string, MadeBundle>> = {
  other: { packageName: "other", version: "1.0.0" },
  "build-1": { version: "1.0.0+1", name: "op.v1.0.0-build1" },
  "build-2": { version: "1.0.0+2", name: "op.v1.0.0-build2" },
  "substitute-1": { version: "1.1.0+1", name: "op.v1.1.0-0.1", substitutesFor: "op.v1.1.0" },
  "release-1": { version: "1.1.0", release: "1" },
  "release-2": { version: "1.1.0", release: "2" },
};

function makeTemplate(random: Random, at: (name: string) => string): Readonly<Record<string, unknown>> {
  const { chance, pick, some, int } = random;
  const tags = [...VERSIONS.map((version) => `v${version}`), ...Object.keys(SPECIAL).filter(() => chance(0.05))];
  const images = (most: number) => some(tags, most).map((tag) => at(`op:${tag}`));
  const kind = pick(["semver", "semver", "basic", "substitutes"]);
  if (kind === "semver") {
    return {
      schema: chance(0.97) ? "olm.semver" : "olm.unknown",
      ...(chance(0.5) ? { generateMajorChannels: chance(0.7) } : {}),
      ...(chance(0.5) ? { generateMinorChannels: chance(0.7) } : {}),
      ...(chance(0.3) ? { defaultChannelTypePreference: pick(["major", "minor", "patch"]) } : {}),
      ...Object.fromEntries(
        ["candidate", "fast", "stable"].filter(() => chance(0.7)).map((name) => [name, { bundles: images(9).map((image) => ({ image })) }]),
      ),
      ...(chance(0.03) ? { unknown: 1 } : {}),
    };
  }
  const versions = VERSIONS.slice(0, 2 + int(VERSIONS.length - 2));
  const channel = {
    schema: "olm.channel",
    package: "op",
    name: "stable",
    entries: versions.map((version, i) => ({ name: `op.v${version}`, ...(i === 0 ? {} : { replaces: `op.v${versions[i - 1]}` }) })),
  };
  const entries = [
    { schema: "olm.package", name: "op", defaultChannel: "stable" },
    channel,
    { schema: "my.own", package: "op", z: 1, a: [2] },
  ];
  if (kind === "basic") {
    const bundles = versions.map((version) => ({
      schema: "olm.bundle",
      image: at(`op:v${version}`),
      ...(chance(0.02) ? { name: "x" } : {}),
    }));
    return { schema: "olm.template.basic", entries: [...entries, ...bundles] };
  }
  const bundles = versions.map((version) => ({
    schema: "olm.bundle",
    package: "op",
    name: `op.v${version}`,
    image: at(`op:v${version}`),
    properties: [{ type: "olm.package", value: { packageName: "op", version } }],
  }));
  const special = ["release-1", "release-2", "substitute-1", "build-1", "v2.1.0", "none"];
  const substitutions = Array.from({ length: int(3) }, () => ({
    name: at(`op:${pick(special)}`),
    base: `op.v${pick(chance(0.5) ? ["1.1.0"] : versions)}`,
  }));
  return { schema: "olm.template.substitutes", entries: [...entries, ...bundles], substitutions };
}

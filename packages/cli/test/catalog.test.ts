import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { main } from "../src/index.ts";
import { renderShopCatalog } from "./shop-catalog.ts";
import { createTestProject } from "./test-project.ts";

const CATALOG = `${renderShopCatalog(["1.0.0", "1.1.0"], {
  "1.1.0": `  replaces: shop.v1.0.0
  skips: [shop.v1.0.1]
  skipRange: ">=0.9.0 <1.1.0"
`,
})}---
schema: olm.deprecations
package: shop
entries:
- reference: { schema: olm.bundle, name: shop.v1.0.0 }
  message: old
`;

describe("pintle catalog", () => {
  test("check accepts a valid catalog, and names file and line of a blob that cannot be read", async () => {
    using project = createTestProject({ "catalog/shop.yaml": CATALOG });
    expect(await project.pintle("catalog", "check")).toMatchObject({ code: 0, out: "the catalog is valid\n" });
    project.write("catalog/other.yaml", "---\nschema: olm.package\nname: other\n---\nschema: olm.channel\nname: 1\n");
    const failed = await project.pintle("catalog", "check");
    expect(failed.code).toBe(1);
    expect(failed.err).toMatch(/ {2}other\.yaml:[45]: .*expected value for key "name" to be a string/s);
    expect(JSON.parse((await project.pintle("catalog", "check", "-o", "json")).out)).toMatchObject({
      valid: false,
      message: expect.stringContaining("to be a string"),
      problems: [{ file: "other.yaml" }],
    });
  });

  test("check explains a broken upgrade graph in the words of opm, with its place and a way out", async () => {
    using project = createTestProject({ "catalog/shop.yaml": CATALOG.replace("replaces: shop.v1.0.0", "replaces: shop.v0.1.0") });
    const { code, err } = await project.pintle("catalog", "check");
    expect(code).toBe(1);
    expect(err).toContain(
      '\n  shop.yaml:6: package "shop", channel "stable": multiple channel heads found in graph: shop.v1.0.0, shop.v1.1.0: let the newest replace',
    );
  });

  test("graph draws replaces, skips, ranges and deprecations", async () => {
    using project = createTestProject({ "catalog/shop.yaml": CATALOG });
    expect((await project.pintle("catalog", "graph")).out).toBe(`flowchart LR
  subgraph c0["stable"]
    c0b0["shop.v1.0.0<br>deprecated"]
    c0b1["shop.v1.1.0<br>skips #62;=0.9.0 #60;1.1.0"]
    c0b0 --> c0b1
    c0b2["shop.v1.0.1<br>not in the channel"]
    c0b2 -.-> c0b1
  end
`);
    expect((await project.pintle("catalog", "graph", "--package", "none")).err).toContain('no package "none": its packages are shop');
  });

  test("build writes a labelled image with equal bytes for equal files, and refuses an invalid catalog", async () => {
    using project = createTestProject({ "catalog/shop.yaml": CATALOG });
    const build = async () =>
      JSON.parse((await project.pintle("catalog", "build", "catalog", "example.com/catalog:v1", "-o", "json")).out) as {
        readonly digest: string;
      };
    const { digest } = await build();
    expect((await build()).digest).toBe(digest);
    const read = (name: string) =>
      JSON.parse(readFileSync(path.join(project.root, "dist/catalog-image/blobs/sha256", name.replace("sha256:", "")), "utf8"));
    expect(read(read(digest).config.digest).config.Labels).toEqual({ "operators.operatorframework.io.index.configs.v1": "/configs" });
    project.write("catalog/shop.yaml", "schema: olm.channel\nname: a\npackage: b\n");
    expect(await project.pintle("catalog", "build", "catalog", "example.com/catalog:v1")).toMatchObject({
      code: 1,
      err: expect.stringContaining("no image was built"),
    });
  });

  test("add creates package and channel, follows the head, keeps comments, and refuses what makes the catalog invalid", async () => {
    using project = createTestProject({ ...bundleFolder("1.0.0"), ...bundleFolder("1.1.0"), ...bundleFolder("0.9.0") });
    const template = ["--image-template", "example.com/{{.Package}}:v{{ .Version }}"];
    const first = await project.pintle("catalog", "add", "bundle-1.0.0", ...template);
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(first.out).toBe("shop.v1.0.0 added\n  channel stable\n  catalog/shop/catalog.yaml\n  catalog/shop/shop.v1.0.0.yaml\n");
    project.write("catalog/shop/catalog.yaml", `# Ours.\n${project.read("catalog/shop/catalog.yaml")}`);
    const second = await project.pintle("catalog", "add", "bundle-1.1.0", ...template, "-o", "json");
    expect(JSON.parse(second.out)).toMatchObject({
      package: "shop",
      image: "example.com/shop:v1.1.0",
      channels: [{ channel: "stable", replaces: "shop.v1.0.0" }],
    });
    expect(project.read("catalog/shop/catalog.yaml")).toMatch(/^# Ours\.\n[\s\S]*- name: shop.v1.1.0\n {4}replaces: shop.v1.0.0\n$/);
    expect(await project.pintle("catalog", "check")).toMatchObject({ code: 0 });
    expect(await project.pintle("catalog", "add", "bundle-1.1.0", ...template)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/already has the bundle shop.v1.1.0/),
    });
    const other = await project.pintle("catalog", "add", "bundle-0.9.0", ...template, "--replaces", "shop.v0.9.0");
    expect(other).toMatchObject({ code: 1, err: expect.stringMatching(/nothing was added: .*shop.v0.9.0/s) });
    expect(project.read("catalog/shop/catalog.yaml")).not.toContain("0.9.0");
    expect(await project.pintle("catalog", "add", "bundle-0.9.0")).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--image-template/),
    });
  });

  test("render prints bundles, catalogs and templates in the order of opm", async () => {
    using project = createTestProject({ "catalog/shop.yaml": CATALOG, ...bundleFolder("2.0.0") });
    const { out } = await project.pintle("catalog", "render", "bundle-2.0.0", "catalog", "--migrate-level", "all");
    expect([...out.matchAll(/^ {4}"schema": "(.*)"/gm)].map(([, schema]) => schema)).toEqual([
      ...["olm.package", "olm.channel", "olm.bundle", "olm.bundle", "olm.bundle", "olm.deprecations"],
    ]);
    const legacy = await project.pintle("render", "catalog", "-o", "yaml");
    expect(legacy).toMatchObject({ code: 0, err: "this command is now: pintle catalog render catalog -o yaml\n" });
    expect(legacy.out).toMatch(/^---\ndefaultChannel: stable\nname: shop\nschema: olm.package\n---/);
    project.write(
      "template.yaml",
      "schema: olm.template.basic\nentries:\n- {schema: olm.package, name: a}\n- {schema: olm.bundle, image: bundle-2.0.0}\n",
    );
    const rendered = await project.pintle("alpha", "render-template", "basic", "template.yaml", "-o", "yaml");
    expect(rendered.out).toMatch(/name: a\nschema: olm.package\n---\nimage: ""\nname: shop.v2.0.0/);
    expect(await project.pintle("catalog", "render", "catalog/shop.yaml")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/unknown template schema: olm.package/),
    });
    expect(await project.pintle("catalog", "render", "catalog", "--migrate-level", "x")).toMatchObject({ code: 2 });
  });

  test("search finds packages by words of their bundles", async () => {
    using project = createTestProject({ "catalog/shop.yaml": CATALOG });
    expect((await project.pintle("catalog", "search", "shop-bundle")).out).toMatch(/^PACKAGE.*\nshop {5}1.1.0 {4}stable$/m);
    expect(JSON.parse((await project.pintle("catalog", "search", "", "-o", "json")).out)).toMatchObject([
      { name: "shop", versions: 2, version: "1.1.0" },
    ]);
    expect(await project.pintle("catalog", "search", "nothing")).toMatchObject({
      code: 1,
      out: 'no package of catalog matches "nothing"\n',
    });
  });

  test("graph draws SVG, also of cycles and of names that are not XML", async () => {
    const entries = '- {name: "<a&b>", replaces: c}\n- {name: c, replaces: "<a&b>"}\n- {name: d, skips: [c, gone]}\n';
    using project = createTestProject({ "catalog/c.yaml": `schema: olm.channel\npackage: p\nname: x\nentries:\n${entries}` });
    const { code, out } = await project.pintle("catalog", "graph", "-o", "svg");
    expect(code).toBe(0);
    expect(out).toContain("<text x=");
    expect(out).toContain("&lt;a&amp;b&gt;");
    // Four edges, and two of the legend.
    expect(out.match(/marker-end/g)).toHaveLength(6);
    expect(out).not.toContain("NaN");
  });

  test("serve answers as catalogd until it is stopped", async () => {
    using project = createTestProject({ "catalog/shop.yaml": CATALOG });
    const stop = new AbortController();
    let print: (text: string) => void = () => {};
    const started = new Promise<string>((resolve) => {
      print = resolve;
    });
    const io = { out: print, err: () => {}, tty: false, cwd: project.root, signal: stop.signal };
    const serving = main(["catalog", "serve", "catalog", "--port", "0", "-o", "json"], io);
    const { catalogs } = JSON.parse(await started) as { catalogs: { name: string; url: string }[] };
    const answer = await fetch(`${catalogs[0]!.url}/api/v1/metas?schema=olm.package`);
    expect([answer.headers.get("content-type"), await answer.text()]).toEqual([
      "application/jsonl",
      '{"defaultChannel":"stable","name":"shop","schema":"olm.package"}\n',
    ]);
    expect((await fetch(`${catalogs[0]!.url}/api/v1/all`, { headers: { origin: "http://evil.example.com" } })).status).toBe(403);
    stop.abort();
    expect(await serving).toBe(0);
    expect(await project.pintle("catalog", "serve", "catalog", "--address", "0.0.0.0")).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--tls-cert/),
    });
  });

  test("copy lists what it would copy, and says what is missing", async () => {
    using project = createTestProject({ "catalog/shop.yaml": CATALOG });
    const plan = await project.pintle("catalog", "copy", "catalog", "registry.internal:5000/mirror", "--dry-run");
    expect(plan.out).toContain("example.com/shop-bundle:1.0.0\n  -> registry.internal:5000/mirror/shop-bundle:1.0.0\n");
    expect(await project.pintle("catalog", "copy", "catalog", "oci:mirror", "--package", "other")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no package other/),
    });
  });
});

function bundleFolder(version: string): Readonly<Record<string, string>> {
  const annotations = {
    "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
    "operators.operatorframework.io.bundle.package.v1": "shop",
    "operators.operatorframework.io.bundle.channels.v1": "stable",
  };
  const csv = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: `shop.v${version}` },
    spec: { version },
  };
  return {
    [`bundle-${version}/manifests/csv.yaml`]: JSON.stringify(csv),
    [`bundle-${version}/metadata/annotations.yaml`]: JSON.stringify({ annotations }),
  };
}

import { execFileSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { shop, workshop } from "./pintle.ts";

const TSC = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
const TSCONFIG = JSON.stringify({
  compilerOptions: {
    target: "es2023",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    types: ["node"],
    customConditions: ["@pintle/source"],
  },
  include: ["src"],
});

test("create api in every form: each says what it wrote, nothing is lost, and all of it compiles", { timeout: 120_000 }, async () => {
  using here = workshop({ ...shop(), "pintle.config.ts": 'export default { domain: "example.com" };\n', "tsconfig.json": TSCONFIG });
  const create = async (...words: string[]) => {
    const { code, out, err } = await here.pintle("create", "api", ...words);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return out;
  };
  expect(await create("--kind", "Shelf")).toBe(
    "created  src/shelf.ts\ncreated  test/shelf.test.ts\ncreated  config/samples/shelf.yaml\nupdated  src/main.ts\n",
  );
  expect(await create("--kind", "Shelf", "--version", "v1")).toMatch(/^updated {2}src\/shelf\.ts\n\nShelf is v1alpha1, v1 now/);
  expect(here.read("src/shelf.ts")).toMatch(/version: "v1",[\s\S]*\.unchangedIn\(\{ version: "v1alpha1" \}\);/);
  await create("--kind", "Shelf", "--group", "store");
  expect(here.read("src/store-shelf.ts")).toContain('group: "store.example.com"');
  await create("--kind", "Region", "--cluster-scoped");
  expect(here.read("src/region.ts")).toContain('scope: "Cluster"');
  await create("--kind", "Note", "--no-controller");
  expect(await create("--external", "--group", "apps", "--version", "v1", "--kind", "StatefulSet")).toBe(
    "created  src/statefulset.ts\nupdated  src/main.ts\n",
  );
  expect(here.read("src/statefulset.ts")).toContain('import { StatefulSet } from "pintle/kinds/apps/v1";');
  await create("--external", "--group", "cert-manager.io", "--version", "v1", "--kind", "Certificate");
  expect(here.read("src/certificate.ts")).toContain('plural: "certificates", scope: "Namespaced"');
  expect(await create("--external", "--group", "core", "--version", "v1", "--kind", "Secret", "--no-controller")).toBe(
    "created  src/secret.ts\n",
  );
  expect(here.read("src/main.ts")).toContain(
    "controllers: [store, shelf, storeShelf, region, statefulSet, certificate], resources: [Note]",
  );
  const webhook = async (...words: string[]) =>
    expect(await here.pintle("create", "webhook", ...words)).toMatchObject({ code: 0, err: "" });
  expect((await here.pintle("create", "controller", "--kind", "Note")).out).toBe("updated  src/note.ts\nupdated  src/main.ts\n");
  expect((await here.pintle("create", "controller", "--kind", "Note")).out).toMatch(/has a controller of Note already/);
  await webhook("--kind", "Region", "--defaulting");
  await webhook("--kind", "Region", "--validation");
  expect(here.read("src/region-webhook.ts")).toMatch(/default\(object\) \{[\s\S]*validate\(\{ object, old \}\) \{/);
  await webhook("--kind", "Shelf", "--group", "example.com", "--validation", "--conversion");
  expect(here.read("src/shelf.ts")).toMatch(/\.older\(\{\n {2}version: "v1alpha1",\n {2}spec: z\.object/);
  await webhook("--external", "--group", "apps", "--version", "v1", "--kind", "Deployment", "--validation");
  expect(here.read("src/main.ts")).toContain("webhooks: [regionWebhook, shelfWebhook, deploymentWebhook]");
  execFileSync(process.execPath, [TSC, "-p", here.root], { cwd: here.root, stdio: "pipe" });
  const generated = await here.pintle("generate", "-o", "json");
  expect(generated).toMatchObject({ code: 0, err: "" });
  expect(here.read("config/crd/bases/example.com_shelfs.yaml")).toMatch(/name: v1\n[\s\S]*name: v1alpha1\n/);
  expect(here.read("config/rbac/role.yaml")).toContain("cert-manager.io");
  expect(here.has("config/rbac/shelf-store-example-com_viewer_role.yaml")).toBe(true);
});

test.each([
  [["--kind", "Store", "--group", "shop.example.com", "--version", "v1"], /src\/store\.ts has Store v1 already: nothing was changed/],
  [["--kind", "store"], /--kind store is not a Kind/],
  [["--kind", "Shelf", "--cluster-scoped", "--scope", "Namespaced"], /exclude each other/],
  [["--external", "--kind", "Deployment"], /--external needs --group and --version/],
  [["--kind", "Main"], /src\/main\.ts is there already: nothing was changed/],
])("create api %j: a sentence, and nothing is written", async (words, sentence) => {
  using here = workshop(shop());
  const before = here.files().map(here.read);
  const { code, out, err } = await here.pintle("create", "api", ...words);
  expect(code).toBeGreaterThan(0);
  expect(out).toBe("");
  expect(err).toMatch(sentence);
  expect(here.files().map(here.read)).toEqual(before);
});

test("delete api takes back what create api made, asks first, and leaves what others use", { timeout: 60_000 }, async () => {
  using here = workshop(shop());
  const before = here.files().map(here.read);
  await here.pintle("create", "api", "--kind", "Shelf");
  expect((await here.pintle("delete", "api", "--kind", "Shelf")).err).toMatch(
    /would delete src\/shelf\.ts, test\/shelf\.test\.ts, config\/samples\/shelf\.yaml: say --yes/,
  );
  here.write("src/uses.ts", 'import { Shelf } from "./shelf.ts";\nexport const used = Shelf;\n');
  expect((await here.pintle("delete", "api", "--kind", "Shelf", "--yes")).err).toMatch(/src\/uses\.ts imports src\/shelf\.ts: nothing/);
  here.write("src/uses.ts", "");
  const { code, out } = await here.pintle("delete", "api", "--kind", "Shelf", "--yes");
  expect({ code, lines: out.split("\n").slice(0, 4) }).toEqual({
    code: 0,
    lines: ["updated  src/main.ts", "deleted  src/shelf.ts", "deleted  test/shelf.test.ts", "deleted  config/samples/shelf.yaml"],
  });
  expect(
    here
      .files()
      .filter((file) => path.basename(file) !== "uses.ts")
      .map(here.read),
  ).toEqual(before);
  expect(await here.pintle("delete", "api", "--kind", "Shelf", "--yes")).toMatchObject({
    code: 1,
    err: expect.stringMatching(/no file defines Shelf/),
  });
});

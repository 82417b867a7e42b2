import { execFileSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createTestProject, shopProject } from "./test-project.ts";

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

test("create api prints the written files for every kind of API, and the sources compile", { timeout: 120_000 }, async () => {
  using here = createTestProject({
    ...shopProject(),
    "pintle.config.ts": 'export default { domain: "example.com" };\n',
    "tsconfig.json": TSCONFIG,
  });
  const create = async (...words: string[]) => {
    const { code, out, err } = await here.pintle("create", "api", ...words);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return out;
  };
  expect(await create("--kind", "Catalog")).toBe(
    "created  src/catalog.ts\ncreated  test/catalog.test.ts\ncreated  config/samples/catalog.yaml\nupdated  src/main.ts\n",
  );
  expect(await create("--kind", "Catalog", "--version", "v1")).toMatch(
    /^updated {2}src\/catalog\.ts\n\nCatalog now has the versions v1alpha1, v1 /,
  );
  expect(here.read("src/catalog.ts")).toMatch(/version: "v1",[\s\S]*\.unchangedIn\(\{ version: "v1alpha1" \}\);/);
  await create("--kind", "Catalog", "--group", "store");
  expect(here.read("src/store-catalog.ts")).toContain('group: "store.example.com"');
  await create("--kind", "Region", "--cluster-scoped");
  expect(here.read("src/region.ts")).toContain('scope: "Cluster"');
  await create("--kind", "Note", "--no-controller");
  await create("--kind", "Function", "--group", "names.example.com");
  await create("--kind", "HTTPServer", "--group", "names.example.com");
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
    "controllers: [store, catalog, storeCatalog, region, functionController, httpServer, statefulSet, certificate], resources: [Note]",
  );
  const webhook = async (...words: string[]) =>
    expect(await here.pintle("create", "webhook", ...words)).toMatchObject({ code: 0, err: "" });
  expect((await here.pintle("create", "controller", "--kind", "Note")).out).toBe("updated  src/note.ts\nupdated  src/main.ts\n");
  expect((await here.pintle("create", "controller", "--kind", "Note")).out).toMatch(/already has a controller for Note/);
  await webhook("--kind", "Region", "--defaulting");
  await webhook("--kind", "Region", "--validation");
  expect(here.read("src/region-webhook.ts")).toMatch(/default\(object\) \{[\s\S]*validate\(\{ object, old \}\) \{/);
  await webhook("--kind", "Catalog", "--group", "example.com", "--validation", "--conversion");
  expect(here.read("src/catalog.ts")).toMatch(/\.older\(\{\n {2}version: "v1alpha1",\n {2}spec: z\.object/);
  await webhook("--kind", "Catalog", "--group", "store", "--validation");
  expect(here.read("src/store-catalog-webhook.ts")).toContain('from "./store-catalog.ts"');
  await webhook("--external", "--group", "apps", "--version", "v1", "--kind", "Deployment", "--validation");
  expect(here.read("src/main.ts")).toContain("webhooks: [regionWebhook, catalogWebhook, storeCatalogWebhook, deploymentWebhook]");
  execFileSync(process.execPath, [TSC, "-p", here.root], { cwd: here.root, stdio: "pipe" });
  const generated = await here.pintle("generate", "-o", "json");
  expect(generated).toMatchObject({ code: 0, err: "" });
  expect(here.read("config/crd/bases/example.com_catalogs.yaml")).toMatch(/name: v1\n[\s\S]*name: v1alpha1\n/);
  expect(here.read("config/rbac/role.yaml")).toContain("cert-manager.io");
  expect(here.has("config/rbac/catalog-store-example-com_viewer_role.yaml")).toBe(true);
});

test.each([
  [
    ["--kind", "Store", "--group", "shop.example.com", "--version", "v1"],
    /src\/store\.ts already defines Store v1\. .*Nothing was changed/,
  ],
  [["--kind", "store"], /invalid --kind "store".* such as Store /],
  [["--kind", "my_shop"], /invalid --kind "my_shop".* such as MyShop /],
  [["--kind", "Deployment"], /the built-in Deployment\. For a controller of that one add --external --group apps --version v1/],
  [["--kind", "Catalog", "--cluster-scoped", "--scope", "Namespaced"], /mutually exclusive/],
  [["--external", "--kind", "Deployment"], /--external requires --group and --version/],
  [["--kind", "Main"], /src\/main\.ts already exists\. .*Nothing was changed/],
])("create api %j fails with one error message and writes nothing", async (words, sentence) => {
  using here = createTestProject(shopProject());
  const before = here.files().map(here.read);
  const { code, out, err } = await here.pintle("create", "api", ...words);
  expect(code).toBeGreaterThan(0);
  expect(out).toBe("");
  expect(err).toMatch(sentence);
  expect(here.files().map(here.read)).toEqual(before);
});

test("delete api removes what create api wrote, asks for confirmation, and refuses while the resource is imported", {
  timeout: 60_000,
}, async () => {
  using here = createTestProject(shopProject());
  const before = here.files().map(here.read);
  await here.pintle("create", "api", "--kind", "Catalog");
  await here.pintle("create", "webhook", "--kind", "Catalog", "--validation");
  expect((await here.pintle("delete", "api", "--kind", "Catalog")).err).toMatch(
    /this deletes src\/catalog\.ts, src\/catalog-webhook\.ts, test\/catalog\.test\.ts, config\/samples\/catalog\.yaml: pass --yes/,
  );
  here.write("src/uses.ts", 'import { Catalog } from "./catalog.ts";\nexport const used = Catalog;\n');
  expect((await here.pintle("delete", "api", "--kind", "Catalog", "--yes")).err).toMatch(
    /src\/uses\.ts imports src\/catalog\.ts\. .*Nothing/,
  );
  here.write("src/uses.ts", "");
  const { code, out } = await here.pintle("delete", "api", "--kind", "Catalog", "--yes");
  expect({ code, lines: out.split("\n").slice(0, 5) }).toEqual({
    code: 0,
    lines: [
      "updated  src/main.ts",
      "deleted  src/catalog.ts",
      "deleted  src/catalog-webhook.ts",
      "deleted  test/catalog.test.ts",
      "deleted  config/samples/catalog.yaml",
    ],
  });
  expect(
    here
      .files()
      .filter((file) => path.basename(file) !== "uses.ts")
      .map(here.read),
  ).toEqual(before);
  expect(await here.pintle("delete", "api", "--kind", "Catalog", "--yes")).toMatchObject({
    code: 1,
    err: expect.stringMatching(/no source file defines Catalog/),
  });
});

test("create api --version without --group extends the only resource of the kind; several groups require --group", async () => {
  using here = createTestProject(shopProject());
  const { code, out } = await here.pintle("create", "api", "--kind", "Store", "--version", "v2");
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/^updated {2}src\/store\.ts\n\nStore now has the versions v1, v2 /),
  });
  expect(here.read("src/store.ts")).toMatch(/group: "shop\.example\.com", version: "v2"[\s\S]*\.unchangedIn\(\{ version: "v1" \}\);/);
  here.write("src/other.ts", shopProject()["src/store.ts"]!.replace("shop.example.com", "other.example.com"));
  here.write("pintle.config.ts", 'export default { domain: "example.com" };\n');
  expect(await here.pintle("create", "api", "--kind", "Store", "--version", "v3")).toMatchObject({
    code: 2,
    err: expect.stringMatching(
      /Store is defined in other\.example\.com \(src\/other\.ts\) and shop\.example\.com \(src\/store\.ts\): use --group to select one\. Nothing was changed/,
    ),
  });
  for (const words of [["api"], ["webhook", "--validation"], ["controller"]])
    expect(await here.pintle("create", ...words, "--kind", "Store")).toMatchObject({
      code: 2,
      err: expect.stringContaining("use --group"),
    });
  expect(await here.pintle("delete", "api", "--kind", "Store", "--yes")).toMatchObject({ code: 2 });
});

test("on a terminal create api asks which resource of an ambiguous kind gets the version", async () => {
  using here = createTestProject({
    ...shopProject(),
    "src/other.ts": shopProject()["src/store.ts"]!.replace("shop.example.com", "other.example.com"),
  });
  const create = (answer: string, version: string) =>
    here.pintleWithAnswer(answer, "create", "api", "--kind", "Store", "--version", version);
  expect(await create("2", "v2")).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^Store is defined more than once:\n {2}1 {2}other\.example\.com \(src\/other\.ts\)\n {2}2 {2}shop\.example\.com \(src\/store\.ts\)\nWhich one\? \(number or group\) updated {2}src\/store\.ts\n/,
    ),
  });
  expect(await create("other", "v2")).toMatchObject({ code: 0, out: expect.stringContaining("updated  src/other.ts") });
  expect(await create("", "v3")).toMatchObject({ code: 2, err: expect.stringContaining("use --group to select one. Nothing was changed") });
});

test.each([
  ["a built-in kind", ["--group", "apps", "--version", "v1", "--kind", "StatefulSet"]],
  ["a built-in kind of the core group", ["--group", "core", "--version", "v1", "--kind", "Secret"]],
  ["a built-in kind without controller", ["--group", "core", "--version", "v1", "--kind", "Secret", "--no-controller"]],
  ["a kind of another operator", ["--group", "cert-manager.io", "--version", "v1", "--kind", "Certificate"]],
])("delete api undoes create api --external of %s", async (_, words) => {
  using here = createTestProject(shopProject());
  const before = here.files().map(here.read);
  expect(await here.pintle("create", "api", "--external", ...words)).toMatchObject({ code: 0 });
  const kind = words[words.indexOf("--kind") + 1]!;
  const elsewhere = await here.pintle("delete", "api", "--kind", kind, "--group", "batch", "--yes");
  expect(elsewhere).toMatchObject({ code: 1, err: expect.stringContaining(`no source file defines ${kind} of batch`) });
  expect(await here.pintle("delete", "api", "--kind", kind, "--group", words[1]!, "--yes")).toMatchObject({ code: 0, err: "" });
  expect(here.files().map(here.read)).toEqual(before);
});

test("scaffolded controllers of kinds with several words and of ambiguous kinds have names in kebab case", async () => {
  using here = createTestProject({ ...shopProject(), "pintle.config.ts": 'export default { domain: "example.com" };\n' });
  await here.pintle("create", "api", "--kind", "HTTPRouteV2Policy");
  expect(here.read("src/httproutev2policy.ts")).toContain('name: "http-route-v2-policy",');
  await here.pintle("create", "api", "--kind", "Store", "--group", "outlet");
  expect(here.read("src/outlet-store.ts")).toContain('name: "outlet-store",');
  await here.pintle("create", "api", "--kind", "Catalog");
  expect(here.read("src/catalog.ts")).not.toContain("  name:");
});

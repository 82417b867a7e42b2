import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { createTestProject, shopProject } from "./test-project.ts";

test("generate writes the kubebuilder layout deterministically and restores changed files", {
  timeout: 60_000,
}, async () => {
  // Timers of the entry file do not delay the command, and run() starts nothing.
  const main = `import { run } from "pintle";
import { store } from "./store.ts";
setInterval(() => {}, 1000);
await run({ controllers: [store], kubeconfig: "/nowhere/at/all" });
`;
  using here = createTestProject({ ...shopProject(), "src/main.ts": main });
  const { code, out } = await here.pintle("generate");
  expect({ code, first: out.split("\n")[0] }).toEqual({ code: 0, first: "created  config/crd/bases/shop.example.com_stores.yaml" });
  expect(here.files()).toEqual(
    expect.arrayContaining([
      "config/crd/kustomization.yaml",
      "config/default/kustomization.yaml",
      "config/manager/manager.yaml",
      "config/prometheus/monitor.yaml",
      "config/rbac/leader_election_role.yaml",
      "config/rbac/role.yaml",
      "config/rbac/store_viewer_role.yaml",
    ]),
  );
  const objects = parseAllDocuments(here.read("dist/install.yaml")).map((each) => each.toJS());
  expect(objects.map(({ kind }) => kind).slice(0, 3)).toEqual(["Namespace", "CustomResourceDefinition", "ServiceAccount"]);
  expect(objects.at(-1)).toMatchObject({
    kind: "Deployment",
    metadata: { name: "shop-controller-manager", namespace: "shop-system" },
    spec: { template: { spec: { containers: [{ image: "shop:1.2.3" }] } } },
  });

  const before = here.files().map(here.read);
  here.write("config/rbac/role.yaml", "mine\n");
  here.write("config/rbac/old_role.yaml", "old\n");
  here.write("config/overlays/prod/kustomization.yaml", "mine\n");
  const checked = await here.pintle("generate", "--check");
  expect(checked.code).toBe(1);
  expect(checked.err).toContain("config/rbac/role.yaml would be updated");
  expect(checked.err).toContain("config/rbac/old_role.yaml would be deleted");
  expect(here.read("config/rbac/role.yaml")).toBe("mine\n");
  expect((await here.pintle("generate", "-o", "json")).out).toContain('{"file":"config/rbac/old_role.yaml","change":"deleted"}');
  const others = here.files().filter((file) => !file.startsWith("config/overlays/"));
  expect(others.map(here.read)).toEqual(before);
  expect(here.read("config/overlays/prod/kustomization.yaml")).toBe("mine\n");
});

test("--layout deploy writes only the files of that layout", { timeout: 60_000 }, async () => {
  const sample = "apiVersion: shop.example.com/v1\nkind: Store\nmetadata: {name: demo}\nspec: {}\n";
  using here = createTestProject({ ...shopProject(), "config/samples/store.yaml": sample, "deploy/crds/old_crd.yaml": "old\n" });
  expect(await here.pintle("generate", "--layout", "kustomize")).toMatchObject({ code: 2 });
  expect((await here.pintle("generate", "--layout", "deploy")).out).toContain("deleted  deploy/crds/old_crd.yaml\n");
  expect(here.files().filter((file) => !/^(src|config\/samples)\//.test(file))).toEqual([
    "deploy/crds/shop.example.com_stores_crd.yaml",
    "deploy/crds/shop.example.com_v1_store_cr.yaml",
    "deploy/operator.yaml",
    "deploy/role.yaml",
    "deploy/role_binding.yaml",
    "deploy/service_account.yaml",
    "package.json",
  ]);
  const [role] = parseAllDocuments(here.read("deploy/role.yaml")).map((each) => each.toJS());
  expect(role).toMatchObject({ kind: "Role", metadata: { name: "shop-manager-role" } });
  expect(here.read("deploy/operator.yaml")).toMatch(/- name: WATCH_NAMESPACE\n\s+valueFrom:[\s\S]*- name: OPERATOR_NAME\n\s+value: shop\n/);
  expect(
    here
      .files()
      .filter((file) => file.startsWith("deploy/"))
      .map(here.read)
      .join(""),
  ).not.toContain("shop-system");
});

test.each([
  ["does not call run()", { "src/main.ts": "export {};\n" }, /src\/main\.ts: does not call run\(\)/],
  ["throws", { "src/main.ts": 'throw new Error("no luck");\n' }, /src\/main\.ts:1:7: no luck/],
  ["exits", { "src/main.ts": "process.exit(3);\n" }, /src\/main\.ts exited with code 3/],
  ["does not parse", { "src/main.ts": "const = 1;\n" }, /src\/main\.ts does not compile \(PINTLE7025\):\n {2}src\/main\.ts:1:7: /],
  ["is missing", { "pintle.config.ts": 'export default { entry: "src/none.ts" };\n' }, /entry file src\/none\.ts not found: set `entry`/],
])("fails without writing when the entry file %s", { timeout: 30_000 }, async (_, files, sentence) => {
  using here = createTestProject({ ...shopProject(), ...files });
  const { code, err } = await here.pintle("generate");
  expect(code).toBe(1);
  expect(err).toMatch(sentence);
  expect(here.has("config")).toBe(false);
});

test("fails without writing when a sample is invalid", { timeout: 30_000 }, async () => {
  using here = createTestProject({
    ...shopProject(),
    "config/samples/store.yaml":
      "apiVersion: shop.example.com/v1\nkind: Store\nmetadata: {name: demo}\nspec: {replicas: 12, colour: red}\n",
  });
  const { code, err } = await here.pintle("generate");
  expect(code).toBe(1);
  expect(err).toMatch(/config\/samples\/store\.yaml: unknown field "spec\.colour"/);
  expect(err).toMatch(/config\/samples\/store\.yaml: spec\.replicas: Invalid value: 12/);
  expect(here.files()).toEqual(["config/samples/store.yaml", "package.json", "src/main.ts", "src/store.ts"]);
});

const changed = shopProject("{ replicas: z.int32().min(1).max(5).default(1), city: z.string() }")["src/store.ts"]!;

test("--check rejects a CRD change that breaks stored objects, with field and keyword", { timeout: 60_000 }, async () => {
  using here = createTestProject(shopProject());
  await here.pintle("generate");
  here.write("src/store.ts", changed);
  const checked = await here.pintle("generate", "--check");
  expect(checked.code).toBe(1);
  expect(checked.err).toMatch(/v1 spec\.replicas: maximum: changed from 9 to 5: this breaks stored objects/);
  expect(checked.err).toMatch(/v1 spec: required: city is now required and has no default/);
  const { code, err } = await here.pintle("generate");
  expect(code).toBe(0);
  expect(err).toMatch(/warning: .*v1 spec\.replicas: maximum: changed from 9 to 5/);
});

const hasGit = spawnSync("git", ["--version"]).status === 0;
if (!hasGit) console.warn("\n!!! SKIPPED: no git on the PATH, so --against is not tested.\n");

test.skipIf(!hasGit)("--against compares with the CRDs of a git revision", { timeout: 60_000 }, async () => {
  using here = createTestProject(shopProject());
  const git = (...words: string[]) => execFileSync("git", words, { cwd: here.root, stdio: "pipe" });
  await here.pintle("generate");
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "released");
  here.write("src/store.ts", changed);
  await here.pintle("generate");
  const checked = await here.pintle("generate", "--check", "--against", "HEAD");
  expect(checked.code).toBe(1);
  expect(checked.err).toMatch(/v1 spec\.replicas: maximum: changed from 9 to 5: this breaks stored objects/);
  expect((await here.pintle("generate", "--check", "--against", "nowhere")).err).toMatch(/unknown git revision "nowhere"/);
});

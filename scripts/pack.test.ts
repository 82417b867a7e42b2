/** What users install: the tarballs hold what they should, and work in an empty project. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { npm, PACKAGE_FOLDERS, type PackedPackage, packPackages } from "./packed-packages.ts";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const work = mkdtempSync(path.join(tmpdir(), "pintle-pack-"));
const project = path.join(work, "project");
let packed: ReadonlyMap<string, PackedPackage> = new Map();

const versionOf = (name: string) =>
  (JSON.parse(readFileSync(path.join(root, "node_modules", name, "package.json"), "utf8")) as { version: string }).version;
const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: project, encoding: "utf8" });

beforeAll(async () => {
  packed = await packPackages(work);
  mkdirSync(project);
  writeFileSync(path.join(project, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
  const tarballs = [...packed.values()].map((p) => path.join(work, p.filename));
  const tools = ["typescript", "vitest", "@types/node"].map((tool) => `${tool}@${versionOf(tool)}`);
  npm(project, "install", "--prefer-offline", "--no-audit", "--no-fund", ...tarballs, ...tools);
}, 180_000);
afterAll(() => rmSync(work, { recursive: true, force: true }));

/** What is not built: the programs of @pintle/cluster that stand in for those of envtest. */
const ASSETS: Readonly<Record<string, RegExp>> = { cluster: /^assets\/(kube-apiserver|etcd)(\.cmd|\.help)?$/ };

test.each(PACKAGE_FOLDERS)("packages/%s holds built code, types, README, licence and nothing else", (name) => {
  const files = packed.get(name)?.files.map((f) => f.path) ?? [];
  expect(files).toEqual(expect.arrayContaining(["package.json", "README.md", "LICENSE"]));
  expect(files.filter((f) => f.endsWith(".d.ts")).length).toBeGreaterThan(0);
  const built = files.filter((f) => ASSETS[name]?.test(f) !== true);
  expect(built.filter((f) => !/^(package\.json|README\.md|LICENSE|bin\/[\w-]+\.js|dist\/.*\.(js|js\.map|d\.ts|json))$/.test(f))).toEqual(
    [],
  );
  expect(files.filter((f) => /\.test\./.test(f))).toEqual([]);
});

test("the installed kube-apiserver is a program that says its version", () => {
  const program = path.join(project, "node_modules/@pintle/cluster/assets/kube-apiserver");
  expect(execFileSync(program, ["--version"], { encoding: "utf8" })).toMatch(/^Kubernetes v1\.\d+/);
});

test("an empty project defines a resource and prints its CRD", () => {
  const script = `import { defineResource, z } from "pintle";
const Memcached = defineResource({ group: "cache.example.com", version: "v1", kind: "Memcached", spec: z.object({ size: z.int32().default(1) }) });
console.log(Memcached.crd().metadata.name);`;
  expect(node("--input-type=module", "-e", script)).toBe("memcacheds.cache.example.com\n");
});

test("an empty project starts an embedded cluster and reads from it", () => {
  const script = `import { startCluster } from "@pintle/cluster";
import { createClient } from "pintle/client";
import { Namespace } from "pintle/kinds/core/v1";
const cluster = await startCluster();
const names = (await createClient(cluster.transport).list(Namespace)).items.map((n) => n.metadata.name);
console.log(names.join(" "));
await cluster.stop();`;
  expect(node("--input-type=module", "-e", script)).toBe("default kube-node-lease kube-public kube-system\n");
});

test("the thread that renews a lease is in the package", () => {
  expect(node("--input-type=module", "-e", `console.log(import.meta.resolve("pintle/internal/manager/elector-worker"))`)).toMatch(
    /elector-worker\.js\n$/,
  );
  expect(packed.get("pintle")?.files.map((f) => f.path)).toContain("dist/manager/leader-election/elector-worker.js");
});

test("the pintle command is there", () => {
  expect(execFileSync(path.join(project, "node_modules/.bin/pintle"), ["version"], { encoding: "utf8" })).toMatch(/^pintle 0\.1\.0/);
});

test("a scaffolded project, with more resources added to it, compiles, passes its own tests and generates its manifests", {
  timeout: 120_000,
}, () => {
  const bin = (name: string, cwd: string, ...words: string[]) =>
    execFileSync(path.join(project, "node_modules/.bin", name), words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const shop = path.join(project, "shop");
  expect(bin("create-pintle", project, "shop", "--domain", "shop.example.com", "--kind", "Storefront", "--no-install")).toMatch(
    /^created 11 files in shop\n/,
  );
  bin("pintle", shop, "create", "api", "--kind", "Tenant", "--scope", "Cluster", "--version", "v1");
  bin("pintle", shop, "create", "api", "--kind", "Note", "--group", "paper", "--no-controller");
  expect(readFileSync(path.join(shop, "src/main.ts"), "utf8")).toContain(
    "await run({ controllers: [storefront, tenant], resources: [Note] });",
  );
  bin("tsc", shop);
  bin("vitest", shop, "run");
  const generated = bin("pintle", shop, "generate");
  for (const file of ["paper.shop.example.com_notes", "shop.example.com_storefronts", "shop.example.com_tenants"]) {
    expect(generated).toContain(`created  config/crd/bases/${file}.yaml\n`);
  }
  bin("pintle", shop, "generate", "--check");
});

test("types are usable under strict settings", () => {
  writeFileSync(
    path.join(project, "operator.ts"),
    `import { controller, defineResource, z } from "pintle";
import { ConfigMap } from "pintle/kinds/core/v1";
const Note = defineResource({ group: "example.com", version: "v1", kind: "Note", spec: z.object({ text: z.string() }) });
export const note = controller(Note, {
  owns: [ConfigMap],
  reconcile: ({ object, want }) =>
    want({ children: { map: ConfigMap.desired({ metadata: { name: object.metadata.name }, data: { text: object.spec.text } }) } }),
});
`,
  );
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--module", "nodenext", "--target", "es2023"];
  node(tsc, "--noEmit", ...strict, "--typeRoots", path.join(root, "node_modules/@types"), "--types", "node", "operator.ts");
});

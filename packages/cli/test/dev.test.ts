import { chmodSync, readdirSync, readFileSync, readlinkSync, renameSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { connect } from "pintle/client";
import { ConfigMap } from "pintle/kinds/core/v1";
import { expect, onTestFailed, test } from "vitest";
import { main } from "../src/main.ts";
import { createTestProject, shopProject } from "./test-project.ts";

/** Lists the command lines of the processes that run in a folder; on Linux only. */
function listProcessesIn(folder: string): readonly string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").flatMap((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder ? [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")] : [];
    } catch {
      return []; // No process, or one that has ended.
    }
  });
}

/** The source of a controller that creates a ConfigMap with `word` for every Store. */
const source = (word: string) =>
  shopProject()
    ["src/store.ts"]!.replace("({ want }) =>", "({ object, want }) =>")
    .replace(
      "children: {}",
      `children: { config: ConfigMap.desired({ metadata: { name: object.metadata.name }, data: { word: "${word}" } }) }`,
    );

test("dev runs the operator with its own service account, restarts it on changes, survives compile errors, and cleans up", {
  timeout: 120_000,
}, async () => {
  using here = createTestProject({
    ...shopProject(),
    "src/store.ts": source("one"),
    "config/samples/store.yaml": "apiVersion: shop.example.com/v1\nkind: Store\nmetadata: {name: demo}\nspec: {}\n",
  });
  // What an earlier run, or another user of a shared folder, may have left.
  here.write(".pintle/kubeconfig", "");
  chmodSync(path.join(here.root, ".pintle/kubeconfig"), 0o666);
  here.write("target", "untouched");
  symlinkSync("../target", path.join(here.root, ".pintle/operator.kubeconfig"));
  const stop = new AbortController();
  let output = "";
  onTestFailed(() => console.log(output));
  const waiters: (() => void)[] = [];
  const print = (text: string) => {
    output += text;
    for (const each of waiters.splice(0)) each();
  };
  const until = async (pattern: RegExp) => {
    while (!pattern.test(output)) await new Promise<void>((resolve) => waiters.push(resolve));
  };
  const running = main(["dev", "--samples"], { out: print, err: print, tty: false, cwd: here.root, signal: stop.signal });
  await until(/store\.shop\.example\.com\/demo created/);
  const client = await connect({ kubeconfig: path.join(here.root, ".pintle/kubeconfig") });
  const word = (expected: string) =>
    client.waitFor(ConfigMap, { name: "demo", namespace: "default" }, ({ data }) => data?.["word"] === expected, { timeout: 60_000 });
  await word("one");
  let refusal = "";
  const second = main(["dev"], { out: print, err: (text) => (refusal += text), tty: false, cwd: here.root, signal: stop.signal });
  expect(await second).toBe(1);
  expect(refusal).toMatch(
    /^error: 'pintle dev' is already running in .* \(this process\): use that session, or stop it first \(PINTLE7093\)\n$/,
  );
  // The operator authenticates as its ServiceAccount, not as an administrator.
  expect(readFileSync(path.join(here.root, ".pintle/operator.kubeconfig"), "utf8")).toContain('"token"');
  for (const file of [".pintle/kubeconfig", ".pintle/operator.kubeconfig"])
    expect(statSync(path.join(here.root, file)).mode & 0o777).toBe(0o600);
  here.write("src/store.ts", "this is not TypeScript");
  await until(/src\/store\.ts:1:\d+: .*\nThe previous build keeps running\./);
  here.write("src/store.ts", source("two").replace('version: "v1"', 'version: "v2"'));
  await until(/error: CustomResourceDefinition stores\.shop\.example\.com: (?!Custom\w+ stores).*\. Keep v1 beside the new version .*\n/);
  here.write("src/store.ts", source("two"));
  await word("two");
  await client.close();
  stop.abort();
  expect(await running).toBe(0);
  expect(output).toMatch(/operator restarted: src\/main\.ts as serviceaccount shop-system\/shop-controller-manager \(\d+ ms\)/);
  expect(here.files()).toEqual(["config/samples/store.yaml", "package.json", "src/main.ts", "src/store.ts", "target"]);
  expect(here.read("target")).toBe("untouched");
  expect(here.has(".pintle/kubeconfig")).toBe(false);
  expect(here.has(".pintle/operator.kubeconfig")).toBe(false);
});

test("dev --samples applies a sample without namespace to the default namespace, or to none if its kind is cluster-scoped", {
  timeout: 120_000,
}, async () => {
  using here = createTestProject({ "package.json": JSON.stringify({ name: "shop", type: "module" }) });
  here.write("src/main.ts", 'import { run } from "pintle";\n\nawait run({\n  controllers: [],\n});\n');
  for (const words of [["Storefront"], ["RegionPlan", "--cluster-scoped"]])
    expect(await here.pintle("create", "api", "--kind", ...words, "--no-controller")).toMatchObject({ code: 0, err: "" });
  const stop = new AbortController();
  let output = "";
  const print = (text: string) => {
    output += text;
    if (/storefront\S+\/demo created/.test(output)) stop.abort();
  };
  expect(await main(["dev", "--samples"], { out: print, err: print, tty: false, cwd: here.root, signal: stop.signal })).toBe(0);
  expect(output).toMatch(/^regionplan\.shop\.example\.com\/demo created\nstorefront\.shop\.example\.com\/demo created\n/m);
});

test("dev --kubeconfig runs on the cluster of cluster up in the same project", { timeout: 120_000 }, async () => {
  using here = createTestProject(shopProject());
  const start = (...words: string[]) => {
    const stop = new AbortController();
    let output = "";
    const print = (text: string) => (output += text);
    const ended = main(words, { out: print, err: print, tty: false, cwd: here.root, signal: stop.signal });
    const end = () => {
      stop.abort();
      return ended;
    };
    return { end, until: (text: string) => expect.poll(() => output, { timeout: 60_000 }).toContain(text) };
  };
  const cluster = start("cluster", "up");
  await cluster.until("is running");
  expect((await here.pintle("dev")).err).toContain("or run 'pintle dev --kubeconfig .pintle/kubeconfig' on it");
  const dev = start("dev", "--kubeconfig", ".pintle/kubeconfig", "--yes");
  await dev.until("operator started");
  expect([await dev.end(), here.has(".pintle/kubeconfig")]).toEqual([0, true]);
  expect(await cluster.end()).toBe(0);
});

test("dev shows type errors with file and line after each change of any file, keeps running the operator, and says when they are gone", {
  timeout: 180_000,
}, async () => {
  const misspelt = source("one").replace("status: { seen: 1 }", "status: { sen: 1 }");
  const compilerOptions = {
    ...{ target: "es2023", module: "nodenext", strict: true, allowImportingTsExtensions: true, skipLibCheck: true },
    ...{ types: ["node"], customConditions: ["@pintle/source"] },
  };
  const files = { "src/store.ts": misspelt, "tsconfig.json": JSON.stringify({ compilerOptions, include: ["src"] }) };
  using here = createTestProject({ ...shopProject(), ...files });
  const stop = new AbortController();
  let output = "";
  onTestFailed(() => console.log(output));
  const print = (text: string) => (output += text);
  const running = main(["dev"], { out: print, err: print, tty: false, cwd: here.root, signal: stop.signal });
  await expect.poll(() => output, { timeout: 60_000 }).toMatch(/^src\/store\.ts:9:\d+: error TS\d+: /m);
  expect(output).toMatch(/'sen' does not exist in type[\s\S]*\nThe operator runs in spite of type errors\.\n/);
  await expect.poll(() => output, { timeout: 60_000 }).toContain("operator started");
  /** As editors save: another file is renamed over the old one. */
  const save = (text: string) => {
    here.write("src/.store.ts.swp", text);
    renameSync(path.join(here.root, "src/.store.ts.swp"), path.join(here.root, "src/store.ts"));
  };
  const countMatches = (pattern: RegExp) => output.match(pattern)?.length ?? 0;
  save(source("two"));
  await expect.poll(() => output, { timeout: 60_000 }).toContain("types: no errors\n");
  save(misspelt);
  await expect.poll(() => countMatches(/^src\/store\.ts:9:\d+: error TS\d+: /gm), { timeout: 60_000 }).toBe(2);
  // No part of the program, so that nothing is built.
  here.write("src/more/deep.ts", "export type Broken = Missing;\n");
  await expect.poll(() => output, { timeout: 60_000 }).toMatch(/^src\/more\/deep\.ts:1:22: error TS2304: /m);
  stop.abort();
  expect(await running).toBe(0);
  expect([listProcessesIn(here.root), here.has(".pintle/types.tsbuildinfo")]).toEqual([[], false]);
});

test.each([
  ["before the cluster starts", undefined],
  ["when the cluster has started", /embedded cluster .* is running/],
  ["when the operator has started", /operator started/],
])("dev ends at once and cleans up when it is interrupted %s", { timeout: 60_000 }, async (_, pattern) => {
  using here = createTestProject(shopProject());
  const stop = new AbortController();
  let output = "";
  onTestFailed(() => console.log(output));
  const print = (text: string) => {
    output += text;
    if (pattern?.test(output)) setImmediate(() => stop.abort(new Error("interrupted")));
  };
  if (pattern === undefined) stop.abort(new Error("interrupted"));
  expect(await main(["dev"], { out: print, err: print, tty: false, cwd: here.root, signal: stop.signal })).toBe(0);
  expect(output).not.toContain("error");
  expect([here.has(".pintle/kubeconfig"), here.has(".pintle/operator.kubeconfig")]).toEqual([false, false]);
});

test("dev ends at once when it is interrupted while the entry file is imported", { timeout: 60_000 }, async () => {
  const forever =
    'import { writeFileSync } from "node:fs"; writeFileSync("importing", ""); await new Promise(() => setInterval(() => {}, 1_000));';
  using here = createTestProject({ ...shopProject(), "src/main.ts": forever });
  const stop = new AbortController();
  const running = main(["dev"], { out: () => {}, err: () => {}, tty: false, cwd: here.root, signal: stop.signal });
  await expect.poll(() => here.has("importing"), { timeout: 30_000 }).toBe(true);
  const at = performance.now();
  stop.abort(new Error("interrupted"));
  expect(await running).toBe(0);
  expect(performance.now() - at).toBeLessThan(5_000);
});

test("an import that throws is reported with the file that threw, its line and the causes", { timeout: 60_000 }, async () => {
  using here = createTestProject({
    ...shopProject(),
    "src/main.ts": `import "./settings.ts";\n${shopProject()["src/main.ts"]}`,
    "src/settings.ts": "const read = (): never => {\n  throw new Error('no settings', { cause: new Error('EACCES') });\n};\nread();\n",
  });
  const { code, err } = await here.pintle("generate");
  expect([code, err]).toEqual([1, "error: src/settings.ts:2:9: no settings: EACCES (imported by src/main.ts) (PINTLE7026)\n"]);
});

test("a package that is not installed, or has no such export, is reported with the file that imports it", {
  timeout: 60_000,
}, async () => {
  using here = createTestProject({
    ...shopProject(),
    "src/main.ts": `import "./settings.ts";\n${shopProject()["src/main.ts"]}`,
    "src/settings.ts": 'import { parse } from "@acme/not-there";\nparse();\n',
  });
  const { code, err } = await here.pintle("generate");
  const sentence = "src/settings.ts imports the package @acme/not-there, which is not installed: run 'npm install @acme/not-there'";
  expect([code, err]).toEqual([1, `error: ${sentence} (PINTLE7026)\n`]);
  here.write("src/settings.ts", 'import { nope } from "pintle";\nnope();\n');
  expect((await here.pintle("generate")).err).toBe(
    "error: src/settings.ts imports nope from pintle, which has no such export (PINTLE7026)\n",
  );
});

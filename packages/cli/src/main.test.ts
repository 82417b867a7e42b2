import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { COMMANDS } from "./commands/index.ts";
import { main } from "./main.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "pintle-cli-"));
});
afterEach(() => rmSync(cwd, { recursive: true }));

async function pintle(...words: string[]) {
  const output = { out: "", err: "" };
  const code = await main(words, {
    out: (text) => (output.out += text),
    err: (text) => (output.err += text),
    tty: false,
    cwd,
    signal: AbortSignal.timeout(10_000),
  });
  return { code, ...output };
}

test("lists all commands without arguments and with --help", async () => {
  expect((await pintle()).out).toMatch(/init .*\n(.*\n)*.*cluster up .*\n(.*\n)*.*version/);
  expect(await pintle("--help")).toEqual(await pintle());
});

test.each(COMMANDS.map(({ name }) => name))("pintle %s --help prints usage, every option and examples", async (name) => {
  const { code, out } = await pintle(...name.split(" "), "--help");
  expect(code).toBe(0);
  expect(out).toContain(`Usage: pintle ${name}`);
  expect(out).toMatch(/Examples:\n {2}(pintle|npx|source)/);
  const { options, optionDescriptions } = COMMANDS.find((command) => command.name === name)!;
  expect(Object.keys(optionDescriptions).sort()).toEqual(Object.keys(options).sort());
});

test("prints the version, also as JSON", async () => {
  expect((await pintle("version")).out).toMatch(/^pintle \d+\.\d+\.\d+, Node /);
  expect(JSON.parse((await pintle("version", "-o", "json")).out)).toMatchObject({ node: process.versions.node });
  expect(await pintle("--version")).toEqual(await pintle("version"));
});

test.each([
  [["frobnicate"], /unknown command "frobnicate".*--help/],
  [["cluster"], /Did you mean: pintle cluster up, /],
  [["version", "--colour"], /unknown flag: --colour\. See 'pintle version --help'/],
  [["init"], /missing folder argument/],
  [["init", "My App"], /invalid project name/],
  [["init", "shop", "--domain", "shop"], /invalid --domain "shop"/],
  [["init", "shop", "--kind", "store-front"], /invalid --kind "store-front"/],
])("rejects %j with one error message and exit code 2 and writes nothing", async (words, sentence) => {
  const { code, out, err } = await pintle(...words);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(sentence);
  expect(err.trimEnd()).not.toContain("\n");
  expect(readdirSync(cwd)).toEqual([]);
});

test("init writes a small project", async () => {
  const { code, out } = await pintle("init", "shop", "--domain", "shop.example.com", "--kind", "Storefront");
  expect(code).toBe(0);
  expect(out).toMatch(/^created 11 files in shop\n/);
  const files = readdirSync(path.join(cwd, "shop"), { recursive: true, withFileTypes: true }).filter((f) => f.isFile());
  expect(files.map((f) => f.name).sort()).toEqual(
    [
      ".gitignore",
      "AGENTS.md",
      "README.md",
      "ci.yml",
      "main.ts",
      "package.json",
      "pintle.config.ts",
      "storefront.test.ts",
      "storefront.ts",
      "storefront.yaml",
      "tsconfig.json",
    ].sort(),
  );
  expect(readFileSync(path.join(cwd, "shop/src/storefront.ts"), "utf8")).toContain('group: "shop.example.com"');
});

test("init refuses a folder that is not empty", async () => {
  await pintle("init", "shop");
  writeFileSync(path.join(cwd, "shop/src/shop.ts"), "mine");
  const { code, err } = await pintle("init", "shop");
  expect(code).toBe(1);
  expect(err).toMatch(/shop exists and is not empty/);
  expect(readFileSync(path.join(cwd, "shop/src/shop.ts"), "utf8")).toBe("mine");
});

test("cluster up writes a kubeconfig and removes it when stopped", async () => {
  const stop = new AbortController();
  let text = "";
  const running = main(["cluster", "up"], {
    out(output) {
      text += output;
      expect(readFileSync(path.join(cwd, ".pintle/kubeconfig"), "utf8")).toContain("client-certificate-data");
      stop.abort();
    },
    err: (output) => (text += output),
    tty: false,
    cwd,
    signal: stop.signal,
  });
  expect(await running).toBe(0);
  expect(text).toMatch(/cluster https:\/\/127\.0\.0\.1:\d+ is running/);
  expect(readdirSync(path.join(cwd, ".pintle"))).toEqual([]);
});

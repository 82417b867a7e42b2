/** Commands that read a project without writing to it, and upgrade. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { COMMANDS } from "../src/commands/index.ts";
import { createTestProject, shopProject } from "./test-project.ts";

test("explain prints a field of the project's resources", async () => {
  using here = createTestProject(shopProject());
  expect(parse((await here.pintle("explain", "store.spec.replicas", "-o", "yaml")).out)).toMatchObject({
    path: ["spec", "replicas"],
    schema: { type: "integer" },
  });
});

const complete = (script: string, ...words: string[]) =>
  spawnSync(
    "bash",
    [
      "--norc",
      "-c",
      `${script}\nCOMP_WORDS=(pintle ${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length}; _pintle; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ],
    { encoding: "utf8" },
  )
    .stdout.split("\n")
    .filter(Boolean);
const hasBash = spawnSync("bash", ["--version"]).status === 0;
if (!hasBash) console.warn("\n!!! SKIPPED: no bash on the PATH, so the completion script is not sourced.\n");

test.skipIf(!hasBash)("the bash completion script completes commands, subcommands and options", async () => {
  using here = createTestProject();
  const { out: script } = await here.pintle("completion", "bash");
  expect(complete(script, "")).toEqual(expect.arrayContaining(["init", "create", "cluster", "deploy", "help"]));
  expect(complete(script, "cre")).toEqual(["create"]);
  expect(complete(script, "create", "")).toContain("api");
  expect(complete(script, "create", "api", "--ki")).toEqual(["--kind"]);
  expect(complete(script, "create", "api", "--kind", "Catalog", "--ext")).toEqual(["--external"]);
  expect(complete(script, "deploy", "--yes", "--im")).toEqual(["--image"]);
  expect(complete(script, "frobnicate", "--")).toEqual([]);
});

test.each(["zsh", "fish"])("the %s completion script includes every command and option", async (shell) => {
  using here = createTestProject();
  const { code, out } = await here.pintle("completion", shell);
  expect(code).toBe(0);
  for (const { name, options } of COMMANDS) {
    for (const word of name.split(" ")) expect(out).toContain(word);
    for (const option of Object.keys(options)) expect(out).toMatch(new RegExp(shell === "fish" ? `-l ${option}\\b` : `--${option}\\b`));
  }
  expect((await here.pintle("completion", "tcsh")).err).toMatch(/missing shell argument: must be bash, zsh or fish/);
});

test("doctor reports problems with a suggested fix", { timeout: 60_000 }, async () => {
  using here = createTestProject(shopProject());
  const well = await here.pintle("doctor", "--offline");
  expect(well.out).toMatch(
    /^ok {7}Node \d+.*\nok {7}project shop 1\.2\.3 .*\nok {7}pintle .*\nok {7}1 controllers; stores\.shop\.example\.com\nwarning {2}\d+ generated manifests are out of date.*\n {9}fix: pintle generate\n$/,
  );
  expect(well.code).toBe(0);
  here.write("src/main.ts", "const = 1;\n");
  const ill = await here.pintle("doctor", "--offline", "-o", "json");
  expect(ill.code).toBe(1);
  expect(JSON.parse(ill.out).at(-1)).toMatchObject({
    status: "error",
    code: "PINTLE7025",
    message: expect.stringMatching(/does not compile/),
    fix: expect.any(String),
  });
  const kubeconfig = `apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters: [{name: a, cluster: {server: "https://127.0.0.1:1"}}]\ncontexts: [{name: a, context: {cluster: a, user: a}}]\nusers: [{name: a, user: {}}]\n`;
  here.write("kubeconfig", kubeconfig);
  expect((await here.pintle("doctor", "--kubeconfig", `${here.root}/kubeconfig`)).out).toMatch(
    /warning {2}cannot reach cluster .*\n {9}fix: start one with 'pintle cluster up'/,
  );
});

test("upgrade updates dependencies, adds missing settings and lists manual changes", async () => {
  using here = createTestProject({
    "package.json": JSON.stringify({
      name: "old",
      scripts: { test: "mine" },
      dependencies: { pintle: "^0.0.1" },
      devDependencies: { typescript: "^8.1.0", vitest: "^3.0.0", "@pintle/cli": "file:../cli" },
    }),
    ".gitignore": "node_modules\nmine\n",
    "tsconfig.json": '{ "compilerOptions": { "strict": true } }',
  });
  const before = here.files().map(here.read);
  expect((await here.pintle("upgrade", "--check")).code).toBe(1);
  expect(here.files().map(here.read)).toEqual(before);
  const { code, out } = await here.pintle("upgrade");
  expect(code).toBe(0);
  expect(out).toMatch(/^changed {2}package\.json: pintle \^0\.0\.1 -> \^\d/);
  expect(out).toMatch(/manual {2}package\.json: @pintle\/cli is file:\.\.\/cli/);
  expect(out).toMatch(/manual {2}tsconfig\.json: set "allowImportingTsExtensions": true/);
  const now = JSON.parse(here.read("package.json"));
  expect(now).toMatchObject({
    scripts: { test: "mine", dev: "pintle dev" },
    devDependencies: { typescript: "^8.1.0", "@pintle/cli": "file:../cli" },
  });
  expect(now.devDependencies.vitest).not.toBe("^3.0.0");
  expect(here.read(".gitignore")).toBe("node_modules\nmine\ndist/image/\n.pintle/\n");
  expect((await here.pintle("upgrade")).out).not.toMatch(/^changed/m);
  using fresh = createTestProject();
  await fresh.pintle("init", "new");
  using empty = createTestProject({ "package.json": "{}" });
  expect((await empty.pintle("upgrade")).err).toMatch(/does not depend on pintle/);
});

test.each([
  [["logs", "--since", "soon"], /invalid --since "soon": must be a duration such as 30s/],
  [["logs", "--tail=many"], /invalid --tail "many"/],
  [["logs", "-f", "-p"], /--previous and --follow are mutually exclusive/],
  [["status", "-o", "xml"], /invalid --output "xml"/],
])("rejects %j as wrong usage", async (words, sentence) => {
  using here = createTestProject(shopProject());
  expect(await here.pintle(...words)).toMatchObject({ code: 2, out: "", err: expect.stringMatching(sentence) });
});

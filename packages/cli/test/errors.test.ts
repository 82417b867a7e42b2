/** Error handling of every command: one error message with a code, the right exit code, and no partial writes. */
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startCluster } from "@pintle/cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatError, Interrupted } from "../src/command/index.ts";
import { COMMANDS } from "../src/commands/index.ts";
import { main } from "../src/main.ts";
import { createTestProject, shopProject } from "./test-project.ts";

const names = COMMANDS.map(({ name }) => name);
const onCluster = COMMANDS.filter(({ options }) => "context" in options && "kubeconfig" in options).map(({ name }) => name);
/** Commands whose exit code 1 means what they found, so that errors have 2. */
const RESERVES_ONE = ["crd check", "diff"];
/** Commands that report an unreachable cluster as a finding. */
const FORGIVING = ["doctor"];
/** Commands that connect to a cluster only for some projects. */
const RARELY_CONNECTED = ["scorecard"];
const strict = onCluster.filter((name) => !FORGIVING.includes(name) && !RARELY_CONNECTED.includes(name));
/** Arguments without which a command would fail earlier. */
const ENOUGH: Readonly<Record<string, readonly string[]>> = {
  migrate: ["Store"],
  "operator setup": ["--image", "shop:1"],
  "operator import": ["shop"],
  "operator show": ["shop"],
  "operator install": ["shop"],
  "operator upgrade": ["shop", "--latest"],
  "operator plan": ["shop"],
  "operator approve": ["shop"],
  "operator rollback": ["shop"],
  "operator why": ["shop"],
  "operator history": ["shop"],
  "operator uninstall": ["shop"],
};
const commandLine = (name: string, ...more: string[]) => [...name.split(" "), ...(ENOUGH[name] ?? []), ...more];

const sentence = (text: string) => {
  expect(text.trimEnd(), text).not.toContain("\n");
  expect(text).toMatch(/^error: .* \(PINTLE\d{4}\):?$/m);
  expect(text).not.toMatch(/\bat .*:\d+:\d+|undefined|\[object/);
};

const kubeconfigTo = (server: string, user: object, ca?: string) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "a",
    clusters: [{ name: "a", cluster: { server, ...(ca === undefined ? {} : { "certificate-authority-data": ca }) } }],
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    users: [{ name: "a", user }],
  });

test.each(names)("pintle %s rejects an unknown flag with exit code 2", async (name) => {
  using here = createTestProject(shopProject());
  const before = here.files();
  const { code, out, err } = await here.pintle(...commandLine(name, "--no-such-flag"));
  expect({ code, out }).toEqual({ code: 2, out: "" });
  sentence(err);
  expect(err).toContain(`pintle ${name} --help`);
  expect(here.files()).toEqual(before);
});

/** Commands with any number of positional arguments. */
const OPEN = ["catalog render", "catalog serve", "diff", "run"];
test.each(names.filter((name) => !OPEN.includes(name)))("pintle %s rejects an extra argument", async (name) => {
  using here = createTestProject(shopProject());
  const before = here.files();
  const { code, out, err } = await here.pintle(...commandLine(name, "one", "two", "three", "four"));
  expect({ code, out }).toEqual({ code: 2, out: "" });
  sentence(err);
  expect(err).toMatch(/unexpected argument "(one|two|three|four)"\. See 'pintle .* --help'/);
  expect(here.files()).toEqual(before);
});

test.each([
  [["genrate"], /Did you mean: pintle generate\?/],
  [["clustr", "up"], /Did you mean: pintle cluster up\?/],
  [["create", "api", "--kynd", "Catalog"], /unknown flag: --kynd\. Did you mean --kind\? See /],
  [["create", "api", "--kind"], /flag needs an argument: --kind\. See /],
  [["create", "api", "--kind", "--external"], /flag needs an argument: --kind\. See /],
  [["create", "api", "--kind", "A", "--external=yes"], /flag takes no argument: --external\. See /],
  [["create", "api", "--kind", "A", "--group", "UPPER"], /invalid --group "UPPER": must be a DNS name of lower-case letters/],
  [["dev", "--inspect-port", "abc"], /invalid --inspect-port "abc"/],
  [["generate", "--image", "not an image"], /invalid image reference "not an image"/],
  [["build", "--platform", "linux/mips"], /the Node installation of this machine is linux\/.*, not linux\/mips: use --base/],
  [["cluster", "up", "--data", "package.json"], /invalid --data package\.json: it is a file, not a folder/],
] as const)("rejects %j as wrong usage", async (words, expected) => {
  using here = createTestProject(shopProject());
  const before = here.files();
  const { code, out, err } = await here.pintle(...words);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  sentence(err);
  expect(err).toMatch(expected);
  expect(here.files()).toEqual(before);
});

test.each([
  [["help"], /^pintle develops.*\n\nCommands:\n {2}init /],
  [["help", "generate"], /^Generate CRDs.*\n\nUsage: pintle generate /],
  [["help", "create"], /Commands:\n {2}create api .*\n {2}create controller .*\n {2}create webhook .*\n\n/],
  [["cluster", "--help"], /Commands:\n {2}cluster up /],
] as const)("%j helps", async (words, expected) => {
  using here = createTestProject();
  expect(await here.pintle(...words)).toMatchObject({ code: 0, err: "", out: expect.stringMatching(expected) });
});

describe("outside of a project", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), "pintle-nowhere-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const anywhere = ["init", "version", "completion", "doctor", "migrate", "replay", "scorecard", "sign", "verify", "why"];
  const anywhereGroups = ["catalog", "cluster", "operator", "trace"];
  const inProject = names.filter((name) => !anywhere.includes(name) && !anywhereGroups.includes(name.split(" ")[0] ?? ""));
  test.each(inProject)("pintle %s", async (name) => {
    let err = "";
    const words =
      {
        explain: ["store"],
        "create webhook": ["--kind", "A", "--validation"],
        "delete api": ["--kind", "A"],
        "create api": ["--kind", "A"],
        "create controller": ["--kind", "A"],
      }[name] ?? [];
    const code = await main([...name.split(" "), ...words], {
      out: () => {},
      err: (text) => (err += text),
      tty: false,
      cwd: folder,
      signal: AbortSignal.timeout(20_000),
    });
    expect(code).toBeGreaterThan(0);
    sentence(err);
    expect(err).toMatch(/no package\.json found in this folder or its parents: .*pintle init/);
    expect(existsSync(path.join(folder, ".pintle"))).toBe(false);
  });
});

describe("with an unusable cluster", () => {
  let here: ReturnType<typeof createTestProject>;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    here = createTestProject(shopProject());
    const cluster = await startCluster({ http: true, without: true });
    const [, ca = ""] = /certificate-authority-data"?: "?([A-Za-z0-9+/=]+)/.exec(cluster.kubeconfig) ?? [];
    here.write("away", kubeconfigTo("https://127.0.0.1:1", {}));
    here.write("expired", kubeconfigTo(cluster.url, { token: "no longer good" }, ca));
    here.write(
      "helperless",
      kubeconfigTo(
        cluster.url,
        { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "no-such-helper", interactiveMode: "Never" } },
        ca,
      ),
    );
    here.write("broken", "{ this is no YAML");
    stop = () => cluster.stop();
  });
  afterAll(async () => {
    await stop();
    here[Symbol.dispose]();
  });
  const cases = [
    ["does not exist", ["--kubeconfig", "none"], /kubeconfig none not found/],
    ["is not YAML", ["--kubeconfig", "broken"], /broken/],
    ["has no such context", ["--kubeconfig", "away", "--context", "prod"], /prod/],
    ["is unreachable", ["--kubeconfig", "away"], /cannot reach cluster .*Check with 'kubectl version'/],
    ["has expired credentials", ["--kubeconfig", "expired"], /rejected your credentials: .*Log in again/],
    ["uses a missing credential plugin", ["--kubeconfig", "helperless"], /no-such-helper/],
  ] as const;
  test.each(cases)("that %s", { timeout: 60_000 }, async (_, words, expected) => {
    const before = here.files();
    // In parallel, because a request to an unreachable server is retried.
    const results = await Promise.all(
      strict.map(async (name) => {
        const confirmation = "yes" in COMMANDS.find((each) => each.name === name)!.options ? ["--yes"] : [];
        return { name, ...(await here.pintle(...commandLine(name, ...words, ...confirmation))) };
      }),
    );
    for (const { name, code, out, err } of results) {
      expect(code, name).toBe(RESERVES_ONE.includes(name) ? 2 : 1);
      expect(out, name).toBe("");
      sentence(err);
      expect(err, name).toMatch(expected);
    }
    expect(here.files()).toEqual(before);
  });
});

test.each([
  ["init", ["init", "shop"], { "shop/mine.txt": "mine" }, /shop exists and is not empty: choose another folder\. Nothing was written/],
  ["init", ["init", "file/shop"], { file: "no folder" }, /cannot write .* \(E[A-Z]+\): make its folder writable/],
  [
    "create api",
    ["create", "api", "--kind", "Catalog"],
    { ...shopProject(), "src/catalog.ts": "mine" },
    /src\/catalog\.ts already exists\. .*Nothing was changed/,
  ],
  [
    "create webhook",
    ["create", "webhook", "--kind", "Catalog", "--validation"],
    shopProject(),
    /no source file defines Catalog\. Create it with 'pintle create api'/,
  ],
  [
    "create webhook",
    ["create", "webhook", "--kind", "Store", "--conversion"],
    shopProject(),
    /no second version .*: add one with 'pintle create api --version'\. Nothing was changed/,
  ],
  ["delete api", ["delete", "api", "--kind", "Store"], shopProject(), /this deletes src\/store\.ts: pass --yes to confirm/],
  [
    "generate",
    ["generate"],
    { ...shopProject(), ".pintle": "no folder" },
    /cannot write to .*\.pintle\/run \(E[A-Z]+\): make the folder writable/,
  ],
  [
    "generate",
    ["generate"],
    { ...shopProject(), "pintle.config.ts": "export const a = 1;\n" },
    /pintle\.config\.ts has no default export: add/,
  ],
  ["generate", ["generate"], { ...shopProject(), "package.json": "{" }, /cannot read .*package\.json: /],
  ["push", ["push", "shop:1"], shopProject(), /no image found: run 'pintle build' first/],
  ["build", ["build", "Not An Image"], shopProject(), /invalid image reference "Not An Image"/],
  ["build", ["build", "shop:1", "--base", "oci:nowhere"], shopProject(), /is not an OCI layout: /],
  [
    "build",
    ["build", "--base", "./nowhere"],
    shopProject(),
    /invalid --base \.\/nowhere: must be a folder with an OCI layout or a root file system/,
  ],
  ["run", ["run", "--kubeconfig", "none"], shopProject(), /kubeconfig none not found: use another path/],
  ["push", ["build", "--base", "127.0.0.1:1/node:22"], shopProject(), /cannot reach registry 127\.0\.0\.1:1: .*--insecure-registry/],
  ["cluster snapshot", ["cluster", "snapshot", "file"], { file: "mine" }, /file already exists: pass --force/],
  [
    "cluster up",
    ["cluster", "up", "--kubeconfig", "file/kubeconfig"],
    { file: "no folder" },
    /cannot write kubeconfig .*file\/kubeconfig \(E[A-Z]+\)/,
  ],
  ["upgrade", ["upgrade"], { "package.json": "{" }, /package\.json is not valid JSON/],
] as const)("%s: %j", { timeout: 30_000 }, async (_, words, files, expected) => {
  using here = createTestProject(files);
  const before = here.files().map((file) => [file, here.read(file)]);
  const { code, err } = await here.pintle(...words);
  expect(code).toBeGreaterThan(0);
  sentence(err);
  expect(err).toMatch(expected);
  expect(here.files().map((file) => [file, here.read(file)])).toEqual(before);
});

/** A path that not even root can write to. */
const SEALED = process.platform === "linux" ? "/sys/kernel" : undefined;

test.runIf(SEALED !== undefined)("reports a folder that is not writable", async () => {
  using here = createTestProject({});
  const { code, err } = await here.pintle("init", `${SEALED}/shop`);
  expect(code).toBe(1);
  sentence(err);
  expect(err).toMatch(/cannot write .* \(E[A-Z]+\): make its folder writable\. Nothing was changed/);
});

test("writes all files or none", async () => {
  using here = createTestProject({ ...shopProject(), "config/samples": "no folder" });
  const { code, err } = await here.pintle("create", "api", "--kind", "Catalog");
  expect(code).toBe(1);
  sentence(err);
  expect(here.files()).toEqual(["config/samples", "package.json", "src/main.ts", "src/store.ts"]);
  expect(here.has("test")).toBe(false);
});

test("a failure of the file system and the causes of an error are one sentence", () => {
  const denied = Object.assign(new Error("EACCES: permission denied, mkdir '/ro/.pintle'"), {
    code: "EACCES",
    syscall: "mkdir",
    path: "/ro/.pintle",
  });
  expect(formatError(denied)).toBe(
    "error: cannot write to /ro/.pintle: permission denied (EACCES); make it accessible to this user, or use another folder (PINTLE7028)",
  );
  expect(formatError(new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:1") }))).toBe(
    "error: fetch failed: connect ECONNREFUSED 127.0.0.1:1",
  );
});

test.runIf(process.platform === "linux")("a project folder that cannot be written is named in the error", async () => {
  using here = createTestProject({ ...shopProject(), "pintle.config.ts": "export default {};\n", ".pintle/keep": "" });
  // Nothing can be created in this folder, not even by root.
  symlinkSync("/proc/self/fdinfo", path.join(here.root, ".pintle/run"));
  const { code, err } = await here.pintle("generate");
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringMatching(/^error: cannot write to .*\.pintle\/run \(.*\): make the folder writable/),
  });
  sentence(err);
});

test.each([
  ["SIGINT", 130, "interrupted\n"],
  ["SIGTERM", 143, "interrupted\n"],
  ["SIGPIPE", 141, ""],
] as const)("a build that %s interrupts exits with %i and keeps the previous image", async (signal, exitCode, text) => {
  using here = createTestProject({ ...shopProject(), "dist/image/index.json": "previous" });
  let err = "";
  const io = { out: () => {}, err: (more: string) => (err += more), tty: false, cwd: here.root };
  expect(await main(["build"], { ...io, signal: AbortSignal.abort(new Interrupted(signal)) })).toBe(exitCode);
  expect([err, here.read("dist/image/index.json")]).toEqual([text, "previous"]);
});

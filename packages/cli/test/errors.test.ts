/** Every command, tried wrongly: one clear sentence, the way out, the right exit code, and nothing half-written. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startCluster } from "@pintle/cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../src/commands/index.ts";
import { main } from "../src/main.ts";
import { shop, workshop } from "./pintle.ts";

const names = COMMANDS.map(({ name }) => name);
const onCluster = COMMANDS.filter(({ options }) => "context" in options && "kubeconfig" in options).map(({ name }) => name);
/** Those for which an unreachable cluster is a finding like another. */
const FORGIVING = ["doctor"];
const strict = onCluster.filter((name) => !FORGIVING.includes(name));
/** Words without which a command would stop at something else first. */
const ENOUGH: Readonly<Record<string, readonly string[]>> = { migrate: ["Store"] };
const of = (name: string, ...more: string[]) => [...name.split(" "), ...(ENOUGH[name] ?? []), ...more];

const sentence = (text: string) => {
  expect(text.trimEnd(), text).not.toContain("\n");
  expect(text).toMatch(/^pintle/);
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

test.each(names)("pintle %s with a flag that is not one: usage, exit code 2", async (name) => {
  using here = workshop(shop());
  const before = here.files();
  const { code, out, err } = await here.pintle(...of(name, "--no-such-flag"));
  expect({ code, out }).toEqual({ code: 2, out: "" });
  sentence(err);
  expect(err).toContain(`pintle ${name} --help`);
  expect(here.files()).toEqual(before);
});

/** Commands that take any number of words. */
const OPEN = ["diff", "run"];
test.each(names.filter((name) => !OPEN.includes(name)))("pintle %s with a word too many", async (name) => {
  using here = workshop(shop());
  const before = here.files();
  const { code, out, err } = await here.pintle(...of(name, "one", "two"));
  expect({ code, out }).toEqual({ code: 2, out: "" });
  sentence(err);
  expect(err).toMatch(/"(one|two)" is one word too many\. See: pintle .* --help/);
  expect(here.files()).toEqual(before);
});

test.each([
  [["genrate"], /Did you mean: pintle generate\?/],
  [["clustr", "up"], /Did you mean: pintle cluster up\?/],
  [["create", "api", "--kynd", "Shelf"], /there is no option --kynd; --kind is one\. See: /],
  [["create", "api", "--kind"], /--kind needs a value\. See: /],
  [["create", "api", "--kind", "--external"], /--kind needs a value\. See: /],
  [["create", "api", "--kind", "A", "--external=yes"], /--external takes no value\. See: /],
  [["create", "api", "--kind", "A", "--group", "UPPER"], /--group UPPER does not make a DNS name: use lower-case letters/],
  [["dev", "--inspect-port", "abc"], /--inspect-port abc is no port/],
  [["generate", "--image", "not an image"], /"not an image" does not name an image: write it like/],
  [["build", "--platform", "linux/mips"], /this machine's own Node is linux\/.*, not linux\/mips: name a base that has it with --base/],
  [["cluster", "up", "--data", "package.json"], /--data package\.json is a file, not a folder/],
] as const)("%j is wrong usage", async (words, expected) => {
  using here = workshop(shop());
  const before = here.files();
  const { code, out, err } = await here.pintle(...words);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  sentence(err);
  expect(err).toMatch(expected);
  expect(here.files()).toEqual(before);
});

test.each([
  [["help"], /^pintle: .*\n\nCommands:\n {2}init /],
  [["help", "generate"], /^Write CRDs.*\n\nUsage: pintle generate /],
  [["help", "create"], /Commands:\n {2}create api .*\n {2}create controller .*\n {2}create webhook .*\n\n/],
  [["cluster", "--help"], /Commands:\n {2}cluster up /],
] as const)("%j helps", async (words, expected) => {
  using here = workshop();
  expect(await here.pintle(...words)).toMatchObject({ code: 0, err: "", out: expect.stringMatching(expected) });
});

describe("in a folder that is no project", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), "pintle-nowhere-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const anywhere = ["init", "version", "completion", "doctor", "migrate"];
  test.each(names.filter((name) => !anywhere.includes(name) && !name.startsWith("cluster ")))("pintle %s", async (name) => {
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
    expect(err).toMatch(/no package\.json here or above: .*pintle init/);
    expect(existsSync(path.join(folder, ".pintle"))).toBe(false);
  });
});

describe("a cluster that cannot be used", () => {
  let here: ReturnType<typeof workshop>;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    here = workshop(shop());
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
    ["is not there", ["--kubeconfig", "none"], /--kubeconfig none is not there/],
    ["is not YAML", ["--kubeconfig", "broken"], /broken/],
    ["has no such context", ["--kubeconfig", "away", "--context", "prod"], /prod/],
    ["does not answer", ["--kubeconfig", "away"], /does not answer: .*Check it with: kubectl version/],
    ["no longer knows you", ["--kubeconfig", "expired"], /does not accept your credentials: .*Log in to it again/],
    ["asks a helper that is not there", ["--kubeconfig", "helperless"], /no-such-helper/],
  ] as const;
  test.each(cases)("that %s", { timeout: 60_000 }, async (_, words, expected) => {
    const before = here.files();
    // Side by side: a server that does not answer is asked a few times.
    const told = await Promise.all(
      strict.map(async (name) => {
        const asked = "yes" in COMMANDS.find((each) => each.name === name)!.options ? ["--yes"] : [];
        return { name, ...(await here.pintle(...of(name, ...words, ...asked))) };
      }),
    );
    for (const { name, code, out, err } of told) {
      expect(code, name).toBe(name === "diff" ? 2 : 1);
      expect(out, name).toBe("");
      sentence(err);
      expect(err, name).toMatch(expected);
    }
    expect(here.files()).toEqual(before);
  });
});

test.each([
  ["init", ["init", "shop"], { "shop/mine.txt": "mine" }, /shop exists and is not empty: choose another folder, nothing was written/],
  ["init", ["init", "file/shop"], { file: "no folder" }, /cannot be written \(E[A-Z]+\): make its folder writable/],
  [
    "create api",
    ["create", "api", "--kind", "Shelf"],
    { ...shop(), "src/shelf.ts": "mine" },
    /src\/shelf\.ts is there already: nothing was changed/,
  ],
  [
    "create webhook",
    ["create", "webhook", "--kind", "Shelf", "--validation"],
    shop(),
    /no file defines Shelf: make it with pintle create api/,
  ],
  [
    "create webhook",
    ["create", "webhook", "--kind", "Store", "--conversion"],
    shop(),
    /no second version .*: add one with pintle create api --version; nothing was changed/,
  ],
  ["delete api", ["delete", "api", "--kind", "Store"], shop(), /would delete src\/store\.ts: say --yes/],
  ["generate", ["generate"], { ...shop(), ".pintle": "no folder" }, /cannot write into .*\.pintle \(E[A-Z]+\): make the folder writable/],
  ["generate", ["generate"], { ...shop(), "pintle.config.ts": "export const a = 1;\n" }, /pintle\.config\.ts has no default export: write/],
  ["generate", ["generate"], { ...shop(), "package.json": "{" }, /package\.json cannot be read: /],
  ["push", ["push", "shop:1"], shop(), /there is no image yet: run pintle build first/],
  ["build", ["build", "Not An Image"], shop(), /does not name an image: write it like/],
  ["build", ["build", "shop:1", "--base", "oci:nowhere"], shop(), /is not an OCI layout: /],
  ["build", ["build", "--base", "./nowhere"], shop(), /--base \.\/nowhere is no folder with an OCI layout or the files of a system/],
  ["run", ["run", "--kubeconfig", "none"], shop(), /--kubeconfig none is not there: name a file/],
  ["push", ["build", "--base", "127.0.0.1:1/node:22"], shop(), /127\.0\.0\.1:1 does not answer: .*--insecure-registry/],
  ["cluster snapshot", ["cluster", "snapshot", "file"], { file: "mine" }, /file is there already: say --force/],
  [
    "cluster up",
    ["cluster", "up", "--kubeconfig", "file/kubeconfig"],
    { file: "no folder" },
    /file\/kubeconfig cannot be written \(E[A-Z]+\)/,
  ],
  ["upgrade", ["upgrade"], { "package.json": "{" }, /package\.json is not JSON/],
] as const)("%s: %j", { timeout: 30_000 }, async (_, words, files, expected) => {
  using here = workshop(files);
  const before = here.files().map((file) => [file, here.read(file)]);
  const { code, err } = await here.pintle(...words);
  expect(code).toBeGreaterThan(0);
  sentence(err);
  expect(err).toMatch(expected);
  expect(here.files().map((file) => [file, here.read(file)])).toEqual(before);
});

/** Where not even root may write. */
const SEALED = process.platform === "linux" ? "/sys/kernel" : undefined;

test.runIf(SEALED !== undefined)("a folder that may not be written to", async () => {
  using here = workshop({});
  const { code, err } = await here.pintle("init", `${SEALED}/shop`);
  expect(code).toBe(1);
  sentence(err);
  expect(err).toMatch(/cannot be written \(E[A-Z]+\): make its folder writable; nothing was changed/);
});

test("files are written all or none", async () => {
  using here = workshop({ ...shop(), "config/samples": "no folder" });
  const { code, err } = await here.pintle("create", "api", "--kind", "Shelf");
  expect(code).toBe(1);
  sentence(err);
  expect(here.files()).toEqual(["config/samples", "package.json", "src/main.ts", "src/store.ts"]);
  expect(here.has("test")).toBe(false);
});

/** The packed packages, as users install them, under every supported Node line and TypeScript version. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from "vitest";
import { npm, packPackages } from "../../scripts/packed-packages.ts";
import { full, seed } from "../sampling.ts";
import { installNode, NODE_LINES } from "./node-lines.ts";

/** The supported TypeScript versions: the newest of each minor. */
const TYPESCRIPT_VERSIONS = ["5.8.3", "5.9.3", "6.0.3", "7.0.2"];

/** Everything under --full; otherwise one, another for every seed. */
const sample = <T>(all: readonly T[]): readonly T[] => (full ? all : all.slice(seed % all.length).slice(0, 1));
const own = process.versions.node.split(".")[0];
const lines = sample(Object.entries(NODE_LINES).filter(([line]) => line !== own)).flatMap(([line, version]) => {
  const node = installNode(version);
  return node === undefined ? [] : [{ line, version, node }];
});
const compilers = sample(TYPESCRIPT_VERSIONS);
if (!full) console.warn(`\n!!! A SAMPLE: Node ${lines.map(({ version }) => version)}, TypeScript ${compilers}; --full runs all.\n`);

const work = mkdtempSync(path.join(tmpdir(), "pintle-compatibility-"));
const project = path.join(work, "project");
beforeAll(async () => {
  const packed = await packPackages(work);
  mkdirSync(project);
  writeFileSync(path.join(project, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
  const tarballs = [...packed.values()].map(({ filename }) => path.join(work, filename));
  npm(project, "install", "--prefer-offline", "--no-audit", "--no-fund", ...tarballs, "vitest@^4.1.12", "@types/node@^20.19.0");
}, 400_000);
afterAll(() => rmSync(work, { recursive: true, force: true }));

describe.each(lines)("Node $version", { timeout: 240_000 }, ({ line, node }) => {
  const bin = (file: string) => path.join(project, "node_modules", file);
  const folder = path.join(project, `shop-${line}`);
  const env = () => ({
    ...process.env,
    NO_COLOR: "1",
    NODE_OPTIONS: "",
    PATH: `${pathWithNode(node)}${path.delimiter}${process.env["PATH"]}`,
  });
  const run = (cwd: string, file: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(node, [bin(file), ...args], { cwd, env: env(), encoding: "utf8" });
    return { status, stdout, stderr };
  };
  const PINTLE = "@pintle/cli/bin/pintle.js";

  test("the command, the drop-in server and a scaffold start without a word on stderr", () => {
    expect(run(project, PINTLE, "version")).toMatchObject({ status: 0, stderr: "", stdout: expect.stringMatching(/^pintle \d/) });
    const server = spawnSync(bin("@pintle/cluster/assets/kube-apiserver"), ["--version"], { env: env(), encoding: "utf8" });
    expect(server).toMatchObject({ status: 0, stderr: "", stdout: expect.stringMatching(/^Kubernetes v1\./) });
    const args = [path.basename(folder), "--domain", "shop.example.com", "--kind", "Storefront", "--no-install"];
    expect(run(project, "create-pintle/bin/create-pintle.js", ...args)).toMatchObject({ status: 0, stderr: "" });
    expect(run(folder, PINTLE, "generate")).toMatchObject({ status: 0, stderr: "" });
    expect(run(folder, PINTLE, "generate", "--check")).toMatchObject({ status: 0, stderr: "" });
  });

  test("the tests of the scaffold pass", () => {
    const { status, stdout, stderr } = run(folder, "vitest/vitest.mjs", "run");
    expect(status, stdout + stderr).toBe(0);
    expect(stderr).not.toMatch(/Warning|unrecognized/);
  });

  test("pintle dev runs the operator until it is interrupted", async () => {
    const dev = spawn(node, [bin(PINTLE), "dev", "--samples"], { cwd: folder, env: env(), stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    onTestFailed(() => console.log(output));
    const exit = once(dev, "exit");
    const isReconciled = new Promise<void>((resolve) => {
      for (const stream of [dev.stdout, dev.stderr])
        stream.setEncoding("utf8").on("data", (text: string) => {
          output += text;
          if (/Reconciled/.test(output)) resolve();
        });
    });
    await Promise.race([isReconciled, exit]);
    dev.kill("SIGINT");
    expect((await exit)[0]).toBe(0);
    expect(output).toMatch(/Reconciled/);
    expect(output).not.toMatch(/unrecognized flag|Warning:|\berror\b/i);
  });
});

/** Every public entry point, and what a project writes. */
const OPERATOR = `import { controller, defineResource, DEFAULTS, type ManagerOptions, run, webhook, z } from "pintle";
import * as client from "pintle/client";
import * as kinds from "pintle/kinds";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap } from "pintle/kinds/core/v1";
import * as testing from "pintle/testing";
import * as tls from "pintle/tls";
import { type Cluster, startCluster } from "@pintle/cluster";
import * as schema from "@pintle/cluster/schema";
import { clusterTest } from "@pintle/cluster/vitest";
import { type Config, main } from "@pintle/cli";

export const entryPoints = [client, kinds, testing, tls, schema, clusterTest, main, DEFAULTS, Deployment];
const Note = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Note",
  spec: z.object({ text: z.string().optional() }),
  status: z.object({ copies: z.int32() }),
  conditions: ["Ready"],
});
export const note = controller(Note, {
  owns: [ConfigMap],
  reconcile: ({ object, owned, want }) =>
    want({
      children: { map: ConfigMap.desired({ metadata: { name: object.metadata.name }, data: { text: object.spec.text ?? "" } }) },
      status: { copies: owned(ConfigMap).list().length },
      conditions: { Ready: { status: true, reason: "Copied" } },
    }),
});
// @ts-expect-error: a status field of the wrong type.
controller(Note, { reconcile: ({ want }) => want({ status: { copies: "one" } }) });
export const check = webhook(Note, {
  validate: ({ object }) => (object.spec.text === "" ? [{ field: "spec.text", message: "must not be empty" }] : []),
});
export const options: ManagerOptions = { controllers: [note], webhooks: [check] };
export const start = async (): Promise<Cluster> => startCluster({ nodes: 1 });
export default { domain: "example.com" } satisfies Config;
if (process.argv.includes("--run")) await run(options);
`;
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: false,
  target: "es2023",
  lib: ["es2023", "esnext.disposable"],
  types: ["node"],
  noEmit: true,
};

describe.each(compilers)("TypeScript %s", { timeout: 240_000 }, (version) => {
  test.each(["nodenext", "bundler"])("the types compile under strict settings, library declarations included: %s", (resolution) => {
    const folder = path.join(project, `typescript-${version}-${resolution}`);
    mkdirSync(folder);
    writeFileSync(path.join(folder, "operator.ts"), OPERATOR);
    const modules = resolution === "nodenext" ? { module: "nodenext" } : { module: "esnext", moduleResolution: "bundler" };
    writeFileSync(
      path.join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: { ...STRICT, ...modules }, files: ["operator.ts"] }),
    );
    const { stdout } = spawnSync(process.execPath, [installTypeScript(version), "-p", folder, "--pretty", "false"], {
      cwd: project,
      encoding: "utf8",
    });
    const [others, ours] = [true, false].map((isOther) =>
      stdout.split("\n").filter((line) => /error TS/.test(line) && /^node_modules\/(?!pintle|@pintle)/.test(line) === isOther),
    );
    if (others!.length > 0) console.warn(`TypeScript ${version}: errors in declarations of other packages:\n${others!.join("\n")}`);
    expect(ours).toEqual([]);
  });
});

/** A folder with `node`, for the child processes of a program. */
function pathWithNode(node: string): string {
  const folder = path.join(work, `path-${path.basename(path.dirname(node))}`);
  if (!existsSync(folder)) {
    mkdirSync(folder);
    symlinkSync(node, path.join(folder, "node"));
  }
  return folder;
}

/** Returns the path of tsc of one version, installed once into a cache folder. */
function installTypeScript(version: string): string {
  const cache = path.join(process.env["XDG_CACHE_HOME"] || path.join(homedir(), ".cache"), "pintle", "typescript");
  const folder = path.join(cache, version);
  if (!existsSync(folder)) {
    const temporary = path.join(cache, `${version}.${process.pid}`);
    mkdirSync(temporary, { recursive: true });
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--prefix", temporary, `typescript@${version}`], { stdio: "pipe" });
    renameSync(temporary, folder);
  }
  return path.join(folder, "node_modules/typescript/bin/tsc");
}

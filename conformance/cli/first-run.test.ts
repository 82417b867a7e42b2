/** The first run on a machine that has only Node: packed packages, an empty HOME, a PATH with node and npm. */
import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { connect } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { expect, onTestFailed, test } from "vitest";
import { binary, startControlPlane } from "../real/index.ts";
import { full } from "../sampling.ts";
import { startNpmRegistry } from "./npm-registry.ts";

const findProgram = (program: string) => execFileSync("which", [program], { encoding: "utf8" }).trim();

/** Creates a PATH folder with node, npm and sh, which npm needs to run scripts. */
function createMinimalPath(folder: string): string {
  mkdirSync(folder);
  symlinkSync(process.execPath, path.join(folder, "node"));
  for (const each of ["npm", "sh"]) symlinkSync(realpathSync(findProgram(each)), path.join(folder, each));
  return folder;
}

/** Milliseconds from saving a file until the object is reconciled. */
async function measureEdits(project: string): Promise<readonly number[]> {
  const client = await connect({ kubeconfig: path.join(project, ".pintle/kubeconfig") });
  const file = path.join(project, "src/shop.ts");
  const source = readFileSync(file, "utf8");
  const took: number[] = [];
  for (const name of ["one", "two", "three"]) {
    const began = performance.now();
    writeFileSync(file, source.replaceAll('name: "main"', `name: "${name}"`));
    const hasContainer = ({ spec }: Deployment) => spec.template.spec?.containers[0]?.name === name;
    await client.waitFor(Deployment, { name: "demo", namespace: "default" }, hasContainer, { timeout: 60_000 });
    took.push(Math.round(performance.now() - began));
  }
  await client.close();
  return took;
}

test.runIf(full)(
  "npm create, npm run dev and kubectl get work; the project's tests pass, also on a real server",
  { timeout: 400_000 },
  async () => {
    await using registry = await startNpmRegistry();
    const home = mkdtempSync(path.join(tmpdir(), "pintle-home-"));
    const authorities = execFileSync("npm", ["config", "get", "cafile"], { encoding: "utf8" }).trim();
    const env = {
      HOME: home,
      NO_COLOR: "1",
      PATH: createMinimalPath(path.join(home, "bin")),
      npm_config_registry: registry.url,
      ...(authorities === "" || authorities === "null" ? {} : { npm_config_cafile: authorities }),
    };
    try {
      const startedAt = performance.now();
      const formatElapsed = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
      const created = await promisify(execFile)("npm", ["create", "pintle@latest", "shop"], { cwd: home, env });
      expect(created.stdout).toMatch(/created 11 files in shop\ninstalled dependencies in \d+s\n\n {2}cd shop && npm run dev\n/);
      const installed = formatElapsed();
      const project = path.join(home, "shop");
      const dev = spawn("npm", ["run", "dev", "--", "--samples"], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
      let output = "";
      for (const stream of [dev.stdout, dev.stderr]) stream.on("data", (text) => (output += text));
      onTestFailed(() => console.log(output));
      const ended = new Promise((resolve) => dev.once("exit", resolve));
      try {
        const kubectl = (...words: string[]) =>
          promisify(execFile)(binary("kubectl"), ["--kubeconfig", path.join(project, ".pintle/kubeconfig"), ...words]).catch(
            () => undefined,
          );
        let seen = "";
        while (!/^demo +2 +2\b/m.test(seen)) {
          if (dev.exitCode !== null) throw new Error(`npm run dev ended with ${dev.exitCode}`);
          await delay(100);
          seen = (await kubectl("get", "shops"))?.stdout ?? "";
        }
        console.log(`from nothing to a reconciled sample in ${formatElapsed()}, installed after ${installed}\n${seen}`);
        console.log(`from an edit to what it does: ${(await measureEdits(project)).join(", ")} ms`);
      } finally {
        process.kill(-dev.pid!, "SIGINT");
        await ended;
      }
      expect(existsSync(path.join(project, ".pintle/kubeconfig"))).toBe(false);
      const runTests = (more = {}) => promisify(execFile)("npm", ["test"], { cwd: project, env: { ...env, ...more } });
      expect((await runTests()).stdout).toMatch(/Tests +2 passed/);
      await using real = await startControlPlane({ controllerManager: true, scheduler: true, nodes: 1 });
      expect((await runTests({ USE_EXISTING_CLUSTER: "true", KUBECONFIG: real.kubeconfig })).stdout).toMatch(/Tests +2 passed/);
      const client = await connect({ kubeconfig: real.kubeconfig });
      expect(await client.find(CustomResourceDefinition, { name: "shops.shop.example.com" })).toBeDefined();
      await client.close();
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);

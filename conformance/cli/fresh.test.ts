/** The first minute of somebody who has Node and nothing else: packed packages, a home of its own, a PATH with node and npm on it. */
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
import { npmRegistry } from "./npm-registry.ts";

const where = (program: string) => execFileSync("which", [program], { encoding: "utf8" }).trim();

/** npm is a script of Node's that needs a shell for other scripts: these three, and nothing else of the system. */
function nothingElse(folder: string): string {
  mkdirSync(folder);
  symlinkSync(process.execPath, path.join(folder, "node"));
  for (const each of ["npm", "sh"]) symlinkSync(realpathSync(where(each)), path.join(folder, each));
  return folder;
}

/** Milliseconds from a saved file to an object that is as it now says. */
async function edited(project: string): Promise<readonly number[]> {
  const client = await connect({ kubeconfig: path.join(project, ".pintle/kubeconfig") });
  const file = path.join(project, "src/shop.ts");
  const source = readFileSync(file, "utf8");
  const took: number[] = [];
  for (const name of ["one", "two", "three"]) {
    const began = performance.now();
    writeFileSync(file, source.replaceAll('name: "main"', `name: "${name}"`));
    const isSo = ({ spec }: Deployment) => spec.template.spec?.containers[0]?.name === name;
    await client.wait(Deployment, { name: "demo", namespace: "default" }, isSo, { timeout: 60_000 });
    took.push(Math.round(performance.now() - began));
  }
  await client.close();
  return took;
}

test.runIf(full)("npm create, npm run dev, kubectl get; then its own tests, also on a real server", { timeout: 400_000 }, async () => {
  await using registry = await npmRegistry();
  const home = mkdtempSync(path.join(tmpdir(), "pintle-home-"));
  const authorities = execFileSync("npm", ["config", "get", "cafile"], { encoding: "utf8" }).trim();
  const env = {
    HOME: home,
    NO_COLOR: "1",
    PATH: nothingElse(path.join(home, "bin")),
    npm_config_registry: registry.url,
    ...(authorities === "" || authorities === "null" ? {} : { npm_config_cafile: authorities }),
  };
  try {
    const began = performance.now();
    const since = () => `${((performance.now() - began) / 1000).toFixed(1)} s`;
    const created = await promisify(execFile)("npm", ["create", "pintle@latest", "shop"], { cwd: home, env });
    expect(created.stdout).toMatch(/11 files in shop\ndependencies installed, \d+ s\n\n {2}cd shop && npm run dev\n/);
    const installed = since();
    const project = path.join(home, "shop");
    const dev = spawn("npm", ["run", "dev", "--", "--samples"], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let told = "";
    for (const stream of [dev.stdout, dev.stderr]) stream.on("data", (text) => (told += text));
    onTestFailed(() => console.log(told));
    const ended = new Promise((resolve) => dev.once("exit", resolve));
    try {
      const kubectl = (...words: string[]) =>
        promisify(execFile)(binary("kubectl"), ["--kubeconfig", path.join(project, ".pintle/kubeconfig"), ...words]).catch(() => undefined);
      let seen = "";
      while (!/^demo +2 +2\b/m.test(seen)) {
        if (dev.exitCode !== null) throw new Error(`npm run dev ended with ${dev.exitCode}`);
        await delay(100);
        seen = (await kubectl("get", "shops"))?.stdout ?? "";
      }
      console.log(`from nothing to a reconciled sample in ${since()}, installed after ${installed}\n${seen}`);
      console.log(`from an edit to what it does: ${(await edited(project)).join(", ")} ms`);
    } finally {
      process.kill(-dev.pid!, "SIGINT");
      await ended;
    }
    expect(existsSync(path.join(project, ".pintle/kubeconfig"))).toBe(false);
    const tested = (more = {}) => promisify(execFile)("npm", ["test"], { cwd: project, env: { ...env, ...more } });
    expect((await tested()).stdout).toMatch(/Tests +2 passed/);
    await using real = await startControlPlane({ controllerManager: true, scheduler: true, nodes: 1 });
    expect((await tested({ USE_EXISTING_CLUSTER: "true", KUBECONFIG: real.kubeconfig })).stdout).toMatch(/Tests +2 passed/);
    const client = await connect({ kubeconfig: real.kubeconfig });
    expect(await client.find(CustomResourceDefinition, { name: "shops.shop.example.com" })).toBeDefined();
    await client.close();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

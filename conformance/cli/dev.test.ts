/** `pintle dev` as a child process, and how it ends. */
import { type ChildProcess, type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startCluster } from "@pintle/cluster";
import { connect } from "pintle/client";
import { ConfigMap } from "pintle/kinds/core/v1";
import { expect, onTestFailed, test } from "vitest";
import { createTestProject, shopProject } from "../../packages/cli/test/test-project.ts";
import { binary } from "../real/index.ts";
import { isSampled } from "./sampled.ts";

const BIN = fileURLToPath(new URL("../../packages/cli/src/bin.ts", import.meta.url));
const TSX = import.meta.resolve("tsx");

function startDev(root: string, ...words: string[]) {
  const child = spawn(process.execPath, ["--conditions=@pintle/source", "--import", TSX, BIN, "dev", ...words], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { child, ...collectOutput(child) };
}

function collectOutput(child: ChildProcessByStdio<Writable | null, Readable, Readable>) {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  onTestFailed(() => console.log(output));
  const until = async (pattern: RegExp) => {
    while (!pattern.test(output)) {
      if (child.exitCode !== null) throw new Error(`dev ended with ${child.exitCode}: ${output}`);
      await delay(20);
    }
    return pattern.exec(output)!;
  };
  return { until };
}
const waitForExit = (child: ChildProcess) =>
  child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : new Promise((resolve) => child.once("exit", resolve));
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const listPintleFiles = (root: string) =>
  existsSync(path.join(root, ".pintle"))
    ? readdirSync(path.join(root, ".pintle"), { recursive: true, withFileTypes: true })
        .filter((each) => each.isFile())
        .map(({ name }) => name)
    : [];

const hasScript = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;
if (!hasScript) console.warn("\n!!! SKIPPED: no script(1) on the PATH, so the keys of dev were not tested.\n");

test.runIf(isSampled(2) && hasScript)(
  "keys apply samples, open a kubectl shell, restart and quit; a source change is reconciled at once",
  { timeout: 300_000 },
  async () => {
    const source = (word: string) =>
      shopProject()
        ["src/store.ts"]!.replace("({ want }) =>", "({ object, want }) =>")
        .replace(
          "children: {}",
          `children: { config: ConfigMap.desired({ metadata: { name: object.metadata.name }, data: { word: "${word}" } }) }`,
        );
    using here = createTestProject({
      ...shopProject(),
      "src/store.ts": source("none"),
      "config/samples/store.yaml": "apiVersion: shop.example.com/v1\nkind: Store\nmetadata: {name: demo}\nspec: {}\n",
    });
    const line = [process.execPath, "--conditions=@pintle/source", "--import", TSX, BIN, "dev"].join(" ");
    const env = { ...process.env, SHELL: "/bin/sh", PATH: `${path.dirname(binary("kubectl"))}:${process.env["PATH"]}` };
    const child = spawn("script", ["-qfec", line, "/dev/null"], { cwd: here.root, env, stdio: ["pipe", "pipe", "pipe"] });
    const { until: waitForOutput } = collectOutput(child);
    const typeKeys = (keys: string) => child.stdin.write(keys);
    await waitForOutput(/s apply samples {3}k kubectl shell {3}r restart {3}q quit/);
    typeKeys("s");
    await waitForOutput(/store\.shop\.example\.com\/demo created/);
    typeKeys("r");
    await waitForOutput(/operator restarted: src\/main\.ts/);
    typeKeys("k");
    await waitForOutput(/kubectl uses this cluster; exit to return/);
    typeKeys("kubectl get stores -o name && echo in-$((1+1))\n");
    await waitForOutput(/store\.shop\.example\.com\/demo\s+in-2/);
    typeKeys("exit\n");
    const client = await connect({ kubeconfig: path.join(here.root, ".pintle/kubeconfig") });
    const took: number[] = [];
    for (const word of ["one", "two", "three"]) {
      const began = performance.now();
      here.write("src/store.ts", source(word));
      await client.waitFor(ConfigMap, { name: "demo", namespace: "default" }, ({ data }) => data?.["word"] === word, { timeout: 60_000 });
      took.push(Math.round(performance.now() - began));
    }
    await client.close();
    console.log(`from an edit to what it does: ${took.join(", ")} ms`);
    typeKeys("q");
    await waitForExit(child);
    expect(child.exitCode).toBe(0);
    expect(listPintleFiles(here.root)).toEqual([]);
  },
);

test.runIf(isSampled(0) && hasScript)("Ctrl-C in a terminal stops pintle run gracefully", async () => {
  await using cluster = await startCluster({ http: true });
  const main = shopProject()["src/main.ts"]!;
  using here = createTestProject({ ...shopProject(), "src/main.ts": `${main}console.log("ended", "in order");\n` });
  await cluster.writeKubeconfig(path.join(here.root, "kubeconfig"));
  expect(await here.pintle("install", "--kubeconfig", path.join(here.root, "kubeconfig"))).toMatchObject({ code: 0 });
  const flags = "--kubeconfig kubeconfig -- --metrics-bind-address=0 --health-probe-bind-address=0";
  const line = [process.execPath, "--conditions=@pintle/source", "--import", TSX, BIN, "run", flags].join(" ");
  const child = spawn("script", ["-qfec", line, "/dev/null"], { cwd: here.root, stdio: ["pipe", "pipe", "pipe"] });
  const { until: waitForOutput } = collectOutput(child);
  await waitForOutput(/Caches synced/);
  child.stdin.write("\u0003");
  await waitForOutput(/ended in order/);
  await waitForExit(child);
});

test.runIf(isSampled(1))(
  "Ctrl-C leaves no files; after kill -9 no process runs and the next start removes the files; --data keeps the objects",
  async () => {
    using here = createTestProject({
      ...shopProject(),
      "src/main.ts": `${shopProject()["src/main.ts"]!.replace("await run", 'console.log("operator is", process.pid);\nawait run')}`,
      "config/samples/store.yaml": "apiVersion: shop.example.com/v1\nkind: Store\nmetadata: {name: demo}\nspec: {}\n",
    });
    const first = startDev(here.root, "--data", "data", "--samples");
    const operator = Number((await first.until(/operator is (\d+)/))[1]);
    await first.until(/store\.shop\.example\.com\/demo created/);
    first.child.kill("SIGKILL");
    await waitForExit(first.child);
    while (isAlive(operator)) await delay(20);
    expect(listPintleFiles(here.root)).toContain("operator.kubeconfig");

    const second = startDev(here.root, "--data", "data", "--samples", "--inspect-port", "0");
    await second.until(/Debugger listening/);
    await second.until(/store\.shop\.example\.com\/demo unchanged/);
    const again = Number((await second.until(/operator is (\d+)/))[1]);
    const kubeconfig = readFileSync(path.join(here.root, ".pintle/kubeconfig"), "utf8");
    expect(kubeconfig).toContain("127.0.0.1");
    second.child.kill("SIGINT");
    await waitForExit(second.child);
    expect(second.child.exitCode).toBe(0);
    expect(isAlive(again)).toBe(false);
    expect(listPintleFiles(here.root)).toEqual([]);
  },
);

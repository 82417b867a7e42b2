/** `pintle dev` as a process of its own, and how it ends. */
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
import { shop, workshop } from "../../packages/cli/test/pintle.ts";
import { binary } from "../real/index.ts";
import { turn } from "./turn.ts";

const BIN = fileURLToPath(new URL("../../packages/cli/src/bin.ts", import.meta.url));
const TSX = import.meta.resolve("tsx");

function dev(root: string, ...words: string[]) {
  const child = spawn(process.execPath, ["--conditions=@pintle/source", "--import", TSX, BIN, "dev", ...words], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { child, ...heard(child) };
}

function heard(child: ChildProcessByStdio<Writable | null, Readable, Readable>) {
  let told = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (told += text));
  onTestFailed(() => console.log(told));
  const until = async (pattern: RegExp) => {
    while (!pattern.test(told)) {
      if (child.exitCode !== null) throw new Error(`dev ended with ${child.exitCode}: ${told}`);
      await delay(20);
    }
    return pattern.exec(told)!;
  };
  return { until };
}
const ended = (child: ChildProcess) =>
  child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : new Promise((resolve) => child.once("exit", resolve));
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const left = (root: string) =>
  existsSync(path.join(root, ".pintle"))
    ? readdirSync(path.join(root, ".pintle"), { recursive: true, withFileTypes: true })
        .filter((each) => each.isFile())
        .map(({ name }) => name)
    : [];

const hasScript = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;
if (!hasScript) console.warn("\n!!! SKIPPED: no script(1) on the PATH, so nobody has pressed keys in dev.\n");

test.runIf(turn(2) && hasScript)(
  "on a terminal: keys apply samples, open a kubectl shell, restart and quit; a change is there at once",
  { timeout: 300_000 },
  async () => {
    const source = (word: string) =>
      shop()
        ["src/store.ts"]!.replace("({ want }) =>", "({ object, want }) =>")
        .replace(
          "children: {}",
          `children: { config: ConfigMap.desired({ metadata: { name: object.metadata.name }, data: { word: "${word}" } }) }`,
        );
    using here = workshop({
      ...shop(),
      "src/store.ts": source("none"),
      "config/samples/store.yaml": "apiVersion: shop.example.com/v1\nkind: Store\nmetadata: {name: demo}\nspec: {}\n",
    });
    const line = [process.execPath, "--conditions=@pintle/source", "--import", TSX, BIN, "dev"].join(" ");
    const env = { ...process.env, SHELL: "/bin/sh", PATH: `${path.dirname(binary("kubectl"))}:${process.env["PATH"]}` };
    const child = spawn("script", ["-qfec", line, "/dev/null"], { cwd: here.root, env, stdio: ["pipe", "pipe", "pipe"] });
    const { until } = heard(child);
    const press = (keys: string) => child.stdin.write(keys);
    await until(/s apply samples {3}k kubectl shell {3}r restart {3}q quit/);
    press("s");
    await until(/sample {4}Store default\/demo created/);
    press("r");
    await until(/restarted src\/main\.ts/);
    press("k");
    await until(/kubectl finds the cluster here; exit leads back/);
    press("kubectl get stores -o name && echo in-$((1+1))\n");
    await until(/store\.shop\.example\.com\/demo\s+in-2/);
    press("exit\n");
    const client = await connect({ kubeconfig: path.join(here.root, ".pintle/kubeconfig") });
    const took: number[] = [];
    for (const word of ["one", "two", "three"]) {
      const began = performance.now();
      here.write("src/store.ts", source(word));
      await client.wait(ConfigMap, { name: "demo", namespace: "default" }, ({ data }) => data?.["word"] === word, { timeout: 60_000 });
      took.push(Math.round(performance.now() - began));
    }
    await client.close();
    console.log(`from an edit to what it does: ${took.join(", ")} ms`);
    press("q");
    await ended(child);
    expect(child.exitCode).toBe(0);
    expect(left(here.root)).toEqual([]);
  },
);

test.runIf(turn(0) && hasScript)("Ctrl-C in a terminal ends pintle run in order", async () => {
  await using cluster = await startCluster({ http: true });
  const main = shop()["src/main.ts"]!;
  using here = workshop({ ...shop(), "src/main.ts": `${main}console.log("ended", "in order");\n` });
  await cluster.writeKubeconfig(path.join(here.root, "kubeconfig"));
  expect(await here.pintle("install", "--kubeconfig", path.join(here.root, "kubeconfig"))).toMatchObject({ code: 0 });
  const flags = "--kubeconfig kubeconfig -- --metrics-bind-address=0 --health-probe-bind-address=0";
  const line = [process.execPath, "--conditions=@pintle/source", "--import", TSX, BIN, "run", flags].join(" ");
  const child = spawn("script", ["-qfec", line, "/dev/null"], { cwd: here.root, stdio: ["pipe", "pipe", "pipe"] });
  const { until } = heard(child);
  await until(/everything has been listed/);
  child.stdin.write("\u0003");
  await until(/ended in order/);
  await ended(child);
});

test.runIf(turn(1))(
  "Ctrl-C leaves nothing; kill -9 leaves no process, and its files go at the next start; --data keeps what there was",
  async () => {
    using here = workshop({
      ...shop(),
      "src/main.ts": `${shop()["src/main.ts"]!.replace("await run", 'console.log("operator is", process.pid);\nawait run')}`,
      "config/samples/store.yaml": "apiVersion: shop.example.com/v1\nkind: Store\nmetadata: {name: demo}\nspec: {}\n",
    });
    const first = dev(here.root, "--data", "data", "--samples");
    const operator = Number((await first.until(/operator is (\d+)/))[1]);
    await first.until(/sample {4}Store default\/demo created/);
    first.child.kill("SIGKILL");
    await ended(first.child);
    while (isAlive(operator)) await delay(20);
    expect(left(here.root)).toContain("operator.kubeconfig");

    const second = dev(here.root, "--data", "data", "--samples", "--inspect-port", "0");
    await second.until(/Debugger listening/);
    await second.until(/sample {4}Store default\/demo unchanged/);
    const again = Number((await second.until(/operator is (\d+)/))[1]);
    const kubeconfig = readFileSync(path.join(here.root, ".pintle/kubeconfig"), "utf8");
    expect(kubeconfig).toContain("127.0.0.1");
    second.child.kill("SIGINT");
    await ended(second.child);
    expect(second.child.exitCode).toBe(0);
    expect(isAlive(again)).toBe(false);
    expect(left(here.root)).toEqual([]);
  },
);

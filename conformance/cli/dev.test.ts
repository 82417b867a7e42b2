/** `pintle dev` as a process of its own, and how it ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFailed, test } from "vitest";
import { shop, workshop } from "../../packages/cli/test/pintle.ts";
import { turn } from "./turn.ts";

const BIN = fileURLToPath(new URL("../../packages/cli/src/bin.ts", import.meta.url));
const TSX = import.meta.resolve("tsx");

function dev(root: string, ...words: string[]) {
  const child = spawn(process.execPath, ["--conditions=@pintle/source", "--import", TSX, BIN, "dev", ...words], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
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
  return { child, until };
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

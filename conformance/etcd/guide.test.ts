/** Runs the commands of docs/guides/etcd.md with members that are processes. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { comparable, steps } from "../guides/console.ts";
import { binaries } from "../real/index.ts";
import { full } from "../sampling.ts";
import { createEnvironment, type EtcdEnvironment, isSupported } from "./environment.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const READ_COMMAND = /^kubectl get /;
const TIMEOUT_MS = 100_000;
const POLL_INTERVAL_MS = 200;

describe.skipIf(!full || !isSupported)("docs/guides/etcd.md", { timeout: 600_000 }, () => {
  let on: EtcdEnvironment;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "pintle-guide-"));
    on = await createEnvironment({ http: true });
    await on.startOperator();
    await writeFile(path.join(folder, "kubeconfig"), on.kubeconfig);
  });
  afterAll(async () => {
    await on?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("shows the output of its commands", async () => {
    const env = {
      ...process.env,
      KUBECONFIG: path.join(folder, "kubeconfig"),
      PATH: `${binaries().folder}${path.delimiter}${process.env["PATH"]}`,
    };
    const runCommand = (command: string) =>
      new Promise<string>((resolve) => {
        const options = { cwd: path.join(root, "examples/etcd"), env, timeout: 120_000 };
        execFile("sh", ["-c", `${command} 2>&1`], options, (_, printed) => resolve(printed));
      });
    for (const { command, output, line } of steps(await readFile(path.join(root, "docs/guides/etcd.md"), "utf8"))) {
      const until = performance.now() + TIMEOUT_MS;
      let printed = await runCommand(command);
      while (READ_COMMAND.test(command) && comparable(printed) !== comparable(output) && performance.now() < until) {
        await delay(POLL_INTERVAL_MS);
        printed = await runCommand(command);
      }
      expect(comparable(printed), `line ${line}: ${command}\n${printed}`).toBe(comparable(output));
    }
  });
});

import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Cluster } from "@pintle/cluster";
import { binary } from "../real/index.ts";

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

export interface RunningCommand {
  /** Waits until the output matches; throws if the command ends before. */
  waitForOutput(wanted: RegExp): Promise<RegExpExecArray>;
  stop(): void;
}

/** Runs kubectl in a temporary folder. */
export interface Kubectl extends AsyncDisposable {
  readonly folder: string;
  spawnKubectl(...args: readonly string[]): Promise<CommandResult>;
  /** Resolves to stdout; throws if kubectl fails. */
  run(...args: readonly string[]): Promise<string>;
  apply(objects: readonly object[]): Promise<void>;
  /** Starts a command that runs until it is stopped. */
  follow(...args: readonly string[]): RunningCommand;
}

export async function createKubectl(cluster: Cluster): Promise<Kubectl> {
  const folder = await mkdtemp(path.join(tmpdir(), "pintle-kubectl-"));
  const config = path.join(folder, "config");
  await cluster.writeKubeconfig(config);
  const options = { cwd: folder, env: { ...process.env, KUBECONFIG: config } };
  const running = new Set<() => void>();
  const spawnKubectl = (args: readonly string[], input?: string) =>
    new Promise<CommandResult>((resolve) => {
      const child = execFile(binary("kubectl"), [...args], options, (error, out, errors) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, errors }),
      );
      child.stdin?.on("error", () => {});
      child.stdin?.end(input);
    });
  const runKubectl = async (args: readonly string[], input?: string) => {
    const { code, out, errors } = await spawnKubectl(args, input);
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${errors}`);
    return out;
  };
  return {
    folder,
    spawnKubectl: (...args) => spawnKubectl(args),
    run: (...args) => runKubectl(args),
    apply: async (objects) =>
      void (await runKubectl(["apply", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }))),
    follow(...args) {
      const child = spawn(binary("kubectl"), [...args], { ...options, stdio: ["ignore", "pipe", "pipe"] });
      const stop = () => void child.kill();
      running.add(stop);
      let output = "";
      let ended: string | undefined;
      let checkOutput = () => {};
      const append = (chunk: Buffer) => {
        output += chunk.toString();
        checkOutput();
      };
      child.stdout.on("data", append);
      child.stderr.on("data", append);
      child.once("close", (code) => {
        running.delete(stop);
        ended = `kubectl ${args.join(" ")} ended with ${code} and wrote:\n${output}`;
        checkOutput();
      });
      const waitForOutput = (wanted: RegExp) =>
        new Promise<RegExpExecArray>((resolve, reject) => {
          checkOutput = () => {
            const found = wanted.exec(output);
            if (found !== null) resolve(found);
            else if (ended !== undefined) reject(new Error(ended));
          };
          checkOutput();
        });
      return { waitForOutput, stop };
    },
    async [Symbol.asyncDispose]() {
      for (const stop of running) stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

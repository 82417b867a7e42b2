import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** `pintle cluster up` in a child process, as a user runs it. */
export interface ClusterProcess extends AsyncDisposable {
  readonly kubeconfig: string;
  /** Kills the process with SIGKILL: it cannot clean up. */
  kill(): Promise<void>;
  /** Sends SIGINT; resolves to the exit code. */
  interrupt(): Promise<number | null>;
}

const bin = fileURLToPath(new URL("../../packages/cli/src/bin.ts", import.meta.url));

export async function startClusterProcess(folder: string, flags: readonly string[]): Promise<ClusterProcess> {
  const file = path.join(folder, "kubeconfig");
  const child = spawn(
    process.execPath,
    ["--conditions=@pintle/source", "--import", "tsx", bin, "cluster", "up", "--kubeconfig", file, ...flags],
    { cwd: fileURLToPath(new URL("../..", import.meta.url)), stdio: ["ignore", "pipe", "pipe"] },
  );
  const exited = once(child, "exit");
  try {
    await waitUntilReady(child, exited);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  return {
    kubeconfig: await readFile(file, "utf8"),
    kill,
    [Symbol.asyncDispose]: kill,
    async interrupt() {
      child.kill("SIGINT");
      return ((await exited) as [number | null])[0];
    },
  };
}

async function waitUntilReady({ stdout, stderr }: ChildProcess, exited: Promise<unknown>): Promise<void> {
  let output = "";
  stderr?.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  const up = new Promise<true>((resolve) => {
    stdout?.on("data", (chunk: Buffer) => {
      output += chunk;
      if (output.includes("Press Ctrl-C to stop it.")) resolve(true);
    });
  });
  if ((await Promise.race([up, exited])) !== true) throw new Error(`pintle cluster up ended: ${output}`);
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** `pintle cluster up` in a process of its own, as a user runs it. */
export interface Served extends AsyncDisposable {
  readonly kubeconfig: string;
  /** kill -9: it gets no chance to do anything about it. */
  kill(): Promise<void>;
  /** Ctrl-C. Returns the exit code. */
  interrupt(): Promise<number | null>;
}

const bin = fileURLToPath(new URL("../../packages/cli/src/bin.ts", import.meta.url));

export async function serve(folder: string, flags: readonly string[]): Promise<Served> {
  const file = path.join(folder, "kubeconfig");
  const child = spawn(
    process.execPath,
    ["--conditions=@pintle/source", "--import", "tsx", bin, "cluster", "up", "--kubeconfig", file, ...flags],
    { cwd: fileURLToPath(new URL("../..", import.meta.url)), stdio: ["ignore", "pipe", "pipe"] },
  );
  const exited = once(child, "exit");
  try {
    await announced(child, exited);
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

async function announced({ stdout, stderr }: ChildProcess, exited: Promise<unknown>): Promise<void> {
  let said = "";
  stderr?.on("data", (chunk: Buffer) => {
    said += chunk;
  });
  const up = new Promise<true>((resolve) => {
    stdout?.on("data", (chunk: Buffer) => {
      said += chunk;
      if (said.includes("Ctrl-C stops it")) resolve(true);
    });
  });
  if ((await Promise.race([up, exited])) !== true) throw new Error(`pintle cluster up ended: ${said}`);
}

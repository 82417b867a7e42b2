import { spawn } from "node:child_process";

export interface Run {
  readonly signal: AbortSignal;
}

export interface RunOptions extends Run {
  readonly folder: string;
  /** Added to the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs a program to its end and returns what it wrote to stdout; throws with the end of its stderr when it fails. */
export async function run(program: string, args: readonly string[], { folder, env, signal }: RunOptions): Promise<string> {
  signal.throwIfAborted();
  // A process group of its own, so that its children end with it.
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {}
  };
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  signal.addEventListener("abort", kill);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    if (code === 0) return output;
    const how = signal.aborted ? `stopped (${String(signal.reason)})` : `failed with code ${code}`;
    throw new Error(`${program} ${args.join(" ")} ${how}\n${output.slice(-500)}\n${errors.trimEnd().slice(-3000)}`);
  } finally {
    signal.removeEventListener("abort", kill);
  }
}

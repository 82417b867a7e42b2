import { spawn } from "node:child_process";
import { once } from "node:events";

export interface CommandOutput {
  /** null if the command was killed. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface CommandOptions {
  readonly path: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | undefined;
  /** Called with the number of lines on stdout whenever it grows. */
  readonly onLines?: ((lines: number, end: () => void) => void) | undefined;
}

/** Far more than any command takes; a hanging command must not block the run. */
const TIMEOUT = 60_000;

/** Runs a command until it exits, with any exit code. */
export async function runCommand({ path, args, folder, env, stdin = "", onLines }: CommandOptions): Promise<CommandOutput> {
  const child = spawn(path, args, { cwd: folder, env, timeout: TIMEOUT });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
    onLines?.(out.split("\n").length - 1, () => child.kill());
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  // A command that does not read its input may exit before it is written.
  child.stdin.on("error", () => {}).end(stdin);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, err };
}

import { spawn } from "node:child_process";
import { once } from "node:events";

export interface Ended {
  /** null when it was ended from outside. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Command {
  readonly path: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | undefined;
  /** Called with the number of lines on stdout, whenever it grew. */
  readonly onLines?: ((lines: number, end: () => void) => void) | undefined;
}

/** Far beyond what any command takes; a command that hangs must not hold up the rest. */
const LIMIT = 60_000;

/** Runs a command to its end, whatever the end is. */
export async function command({ path, args, folder, env, stdin = "", onLines }: Command): Promise<Ended> {
  const child = spawn(path, args, { cwd: folder, env, timeout: LIMIT });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
    onLines?.(out.split("\n").length - 1, () => child.kill());
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  // A command that does not read its input may be gone before it is written.
  child.stdin.on("error", () => {}).end(stdin);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, err };
}

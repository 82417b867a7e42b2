import { execFile } from "node:child_process";
import { readlink } from "node:fs/promises";
import type { TerminalSize } from "../../streams.ts";
import { programOf, searchPath } from "../image/command.ts";
import type { Spawn } from "../runtime/driver.ts";
import { processes } from "../runtime/machine.ts";

/** True where util-linux's `script` is: it makes terminals. */
export const hasTerminals = () => programOf("script", {}, searchPath()) !== undefined;
export const NO_TERMINALS =
  "this machine cannot make a terminal: the program script (of util-linux) is not installed; try again without a tty";

/** The same command with a terminal of its own. */
export function inTerminal({ command, args, env, ...rest }: Spawn): Spawn {
  const words = [command, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  return { ...rest, command: "script", args: ["-qefc", `exec ${words}`, "/dev/null"], env: { TERM: "xterm", ...env, SHELL: "/bin/sh" } };
}

/** What runs in the terminal that `script` made. */
export async function insideTerminal(script: number): Promise<number | undefined> {
  return (await processes()).find(({ parent }) => parent === script)?.pid;
}

/** Tells the program in the terminal how large it is; one that has ended does not care. */
export async function resizeTerminal(script: number, { columns, rows }: TerminalSize): Promise<void> {
  const pid = await insideTerminal(script);
  const device = pid === undefined ? undefined : await readlink(`/proc/${pid}/fd/0`).catch(() => undefined);
  if (device === undefined || !device.startsWith("/dev/pts/")) return;
  await new Promise<void>((resolve) => {
    execFile("stty", ["-F", device, "rows", String(rows), "cols", String(columns)], () => resolve());
  });
}

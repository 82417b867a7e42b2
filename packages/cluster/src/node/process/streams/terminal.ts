import { execFile } from "node:child_process";
import { readlink } from "node:fs/promises";
import type { TerminalSize } from "../../node-streams.ts";
import { findProgram, getSearchPath } from "../image/image-command.ts";
import type { SpawnOptions } from "../runtime/isolation-driver.ts";
import { listProcesses } from "../runtime/process-table.ts";

/** Returns whether util-linux's `script` is installed, which opens terminals. */
export const canOpenTerminal = () => findProgram("script", {}, getSearchPath()) !== undefined;
export const NO_TERMINAL_MESSAGE =
  "this machine cannot open a terminal: the program script of util-linux is not installed; try without a tty";

/** Wraps a command so that it runs in a terminal. */
export function wrapInTerminal({ command, args, env, ...rest }: SpawnOptions): SpawnOptions {
  const commandLine = [command, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  return {
    ...rest,
    command: "script",
    args: ["-qefc", `exec ${commandLine}`, "/dev/null"],
    env: { TERM: "xterm", ...env, SHELL: "/bin/sh" },
  };
}

/** Finds the process in the terminal that `script` opened. */
export async function findTerminalProcess(script: number): Promise<number | undefined> {
  return (await listProcesses()).find(({ parent }) => parent === script)?.pid;
}

/** Sets the size of the terminal, if its process still runs. */
export async function resizeTerminal(script: number, { columns, rows }: TerminalSize): Promise<void> {
  const pid = await findTerminalProcess(script);
  const device = pid === undefined ? undefined : await readlink(`/proc/${pid}/fd/0`).catch(() => undefined);
  if (device === undefined || !device.startsWith("/dev/pts/")) return;
  await new Promise<void>((resolve) => {
    execFile("stty", ["-F", device, "rows", String(rows), "cols", String(columns)], () => resolve());
  });
}

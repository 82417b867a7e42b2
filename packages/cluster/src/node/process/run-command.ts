import type { RunningContainer } from "./runtime/container.ts";
import type { Spawn } from "./runtime/driver.ts";
import type { Guard } from "./runtime/guard.ts";
import { startProcess } from "./runtime/process.ts";
import { insideTerminal } from "./stream/terminal.ts";

export interface CommandResult {
  /** Undefined when it took too long and was ended. */
  readonly code?: number | undefined;
  readonly output: string;
}

const LONGEST = 10 * 1024;

/** A command beside a running container. */
export async function joinSpawn({ sandbox, launch, process, find, spec }: RunningContainer, argv: readonly string[]): Promise<Spawn> {
  const [word = "", ...args] = argv;
  const pid = spec.tty === true ? ((await insideTerminal(process.pid)) ?? process.pid) : process.pid;
  return sandbox.join(pid, { ...launch, argv: [find(word), ...args] });
}

/** Runs a command in a container to its end, as probes and hooks do. */
export async function runCommand(
  container: RunningContainer,
  argv: readonly string[],
  guard: Guard,
  timeout: number,
): Promise<CommandResult> {
  const command = await startProcess(await joinSpawn(container, argv), guard);
  command.stdin.end();
  let output = "";
  const take = async (from: AsyncIterable<Buffer>) => {
    for await (const chunk of from) if (output.length < LONGEST) output += chunk.toString();
  };
  const taken = Promise.all([take(command.stdout), take(command.stderr)]).catch(() => {});
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    command.signalAll("SIGKILL");
  }, timeout);
  const { code } = await command.exit;
  clearTimeout(timer);
  await taken;
  return isLate ? { output } : { code, output };
}

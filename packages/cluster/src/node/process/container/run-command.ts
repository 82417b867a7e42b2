import type { SpawnOptions } from "../runtime/isolation-driver.ts";
import { startProcess } from "../runtime/process.ts";
import type { ProcessGuard } from "../runtime/process-guard.ts";
import type { RunningContainer } from "../runtime/running-container.ts";
import { findTerminalProcess } from "../streams/terminal.ts";

export interface CommandResult {
  /** Undefined if the command timed out and was killed. */
  readonly code?: number | undefined;
  readonly output: string;
}

const MAX_OUTPUT = 10 * 1024;

/** Builds the process options of a command in a running container. */
export async function buildExecSpawn(
  { sandbox, launch, process, findProgram, spec }: RunningContainer,
  argv: readonly string[],
): Promise<SpawnOptions> {
  const [program = "", ...args] = argv;
  const pid = spec.tty === true ? ((await findTerminalProcess(process.pid)) ?? process.pid) : process.pid;
  return sandbox.buildExec(pid, { ...launch, argv: [findProgram(program), ...args] });
}

/** Runs a command in a container to completion, for probes and hooks. */
export async function runCommand(
  container: RunningContainer,
  argv: readonly string[],
  guard: ProcessGuard,
  timeout: number,
): Promise<CommandResult> {
  const command = await startProcess(await buildExecSpawn(container, argv), guard, { container: container.process });
  command.stdin.end();
  let output = "";
  const readOutput = async (from: AsyncIterable<Buffer>) => {
    for await (const chunk of from) if (output.length < MAX_OUTPUT) output += chunk.toString();
  };
  const outputRead = Promise.all([readOutput(command.stdout), readOutput(command.stderr)]).catch(() => {});
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    command.signalAll("SIGKILL");
  }, timeout);
  const { code } = await command.exit;
  clearTimeout(timer);
  await outputRead;
  return isLate ? { output } : { code, output };
}

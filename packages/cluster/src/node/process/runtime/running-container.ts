import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "pintle/internal/clock";
import { ignoreError } from "pintle/internal/errors";
import type { Container } from "pintle/kinds/core/v1";
import { type LogFile, openLogFile } from "../streams/log-file.ts";
import { canOpenTerminal, NO_TERMINAL_MESSAGE, wrapInTerminal } from "../streams/terminal.ts";
import type { ContainerLaunch, PodSandbox } from "./isolation-driver.ts";
import { createOutputPipes } from "./output-pipes.ts";
import { type NodeProcess, type ProcessExit, startProcess } from "./process.ts";
import type { ProcessGuard } from "./process-guard.ts";

/** A running container. */
export interface RunningContainer {
  readonly id: string;
  readonly spec: Container;
  readonly launch: ContainerLaunch;
  readonly sandbox: PodSandbox;
  /** Finds the program for a word in this container. */
  findProgram(program: string): string;
  readonly process: NodeProcess;
  readonly log: LogFile;
  /** Reads the termination message. */
  readTerminationMessage(exit: ProcessExit): Promise<string>;
  /** Calls the listener with all further output. Returns the function that removes it. */
  onOutput(listener: (stream: "stdout" | "stderr", chunk: Buffer) => void): () => void;
  /** Resolves when the container has exited and its output is written to the log. */
  readonly exit: Promise<ProcessExit>;
}

export interface RunContainerOptions {
  readonly id: string;
  readonly spec: Container;
  readonly launch: ContainerLaunch;
  readonly sandbox: PodSandbox;
  findProgram(program: string): string;
  readonly logPath: string;
  readonly guard: ProcessGuard;
  readonly clock: Clock;
}

const MAX_MESSAGE_LENGTH = 4096;

/** Returns the path of the termination log on the node. */
export const getTerminationLogPath = (folder: string) => path.join(folder, "termination-log");

export async function launchContainer({
  id,
  spec,
  launch,
  sandbox,
  findProgram,
  logPath,
  guard,
  clock,
}: RunContainerOptions): Promise<RunningContainer> {
  await mkdir(launch.folder, { recursive: true });
  await writeFile(getTerminationLogPath(launch.folder), "");
  // Every user of the container may write it, whatever the umask.
  await chmod(getTerminationLogPath(launch.folder), 0o666);
  const log = await openLogFile(logPath, () => clock.now());
  const listeners = new Set<(stream: "stdout" | "stderr", chunk: Buffer) => void>();
  const spawn = await sandbox.buildSpawn(launch);
  if (spec.tty === true && !canOpenTerminal()) throw new Error(NO_TERMINAL_MESSAGE);
  const pipes = await createOutputPipes(launch.folder);
  const process = await startProcess(spec.tty === true ? wrapInTerminal(spawn) : spawn, guard, { pipes }).catch(async (error: unknown) => {
    await log.close();
    throw error;
  });
  if (spec.stdin !== true) process.stdin.end();
  const publishOutput = async function* (stream: "stdout" | "stderr"): AsyncGenerator<Buffer> {
    for await (const chunk of process[stream] as AsyncIterable<Buffer>) {
      for (const listener of listeners) listener(stream, chunk);
      yield chunk;
    }
  };
  const logged = Promise.all([log.append("stdout", publishOutput("stdout")), log.append("stderr", publishOutput("stderr"))]).catch(
    () => {},
  );
  const exit = process.exit.then(async (ended) => {
    await process.killChildren().catch(ignoreError);
    await logged;
    await log.close();
    return ended;
  });
  return {
    id,
    spec,
    launch,
    sandbox,
    findProgram,
    process,
    log,
    exit,
    onOutput(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async readTerminationMessage({ code }) {
      const message = await readFile(getTerminationLogPath(launch.folder), "utf8").catch(() => "");
      if (message !== "" || spec.terminationMessagePolicy !== "FallbackToLogsOnError" || code === 0)
        return message.slice(0, MAX_MESSAGE_LENGTH);
      const lines = (await readFile(logPath, "utf8").catch(() => "")).split("\n").slice(-81);
      return lines
        .map((line) => line.split(" ").slice(3).join(" "))
        .join("\n")
        .slice(-2048);
    },
  };
}

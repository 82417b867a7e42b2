import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Container } from "pintle/kinds/core/v1";
import type { Clock } from "pintle/queue";
import { type LogFile, logFile } from "../stream/log-file.ts";
import { hasTerminals, inTerminal, NO_TERMINALS } from "../stream/terminal.ts";
import type { Launch, Sandbox } from "./driver.ts";
import type { Guard } from "./guard.ts";
import { outputs } from "./outputs.ts";
import { type Exit, type Process, startProcess } from "./process.ts";

/** A run of a container. */
export interface RunningContainer {
  readonly id: string;
  readonly spec: Container;
  readonly launch: Launch;
  readonly sandbox: Sandbox;
  /** The program a word means in this container. */
  find(word: string): string;
  readonly process: Process;
  readonly log: LogFile;
  /** What it said at its end, as its termination message. */
  message(exit: Exit): Promise<string>;
  /** Everything it writes from now on. Returns how to stop. */
  onOutput(listener: (stream: "stdout" | "stderr", chunk: Buffer) => void): () => void;
  /** Resolves when it has ended and all it wrote is kept. */
  readonly exit: Promise<Exit>;
}

export interface RunFacts {
  readonly id: string;
  readonly spec: Container;
  readonly launch: Launch;
  readonly sandbox: Sandbox;
  find(word: string): string;
  readonly logPath: string;
  readonly guard: Guard;
  readonly clock: Clock;
}

const LONGEST_MESSAGE = 4096;

/** Where a container writes its last words, as the node sees it. */
export const lastWords = (folder: string) => path.join(folder, "termination-log");

export async function runContainer({ id, spec, launch, sandbox, find, logPath, guard, clock }: RunFacts): Promise<RunningContainer> {
  await mkdir(launch.folder, { recursive: true });
  await writeFile(lastWords(launch.folder), "", { mode: 0o666 });
  const log = await logFile(logPath, () => clock.now());
  const listeners = new Set<(stream: "stdout" | "stderr", chunk: Buffer) => void>();
  const spawn = await sandbox.launch(launch);
  if (spec.tty === true && !hasTerminals()) throw new Error(NO_TERMINALS);
  const process = await startProcess(spec.tty === true ? inTerminal(spawn) : spawn, guard, await outputs(launch.folder)).catch(
    async (error: unknown) => {
      await log.close();
      throw error;
    },
  );
  if (spec.stdin !== true) process.stdin.end();
  const told = async function* (stream: "stdout" | "stderr"): AsyncGenerator<Buffer> {
    for await (const chunk of process[stream] as AsyncIterable<Buffer>) {
      for (const listener of listeners) listener(stream, chunk);
      yield chunk;
    }
  };
  const taken = Promise.all([log.take("stdout", told("stdout")), log.take("stderr", told("stderr"))]).catch(() => {});
  const exit = process.exit.then(async (ended) => {
    await process.endChildren();
    await taken;
    await log.close();
    return ended;
  });
  return {
    id,
    spec,
    launch,
    sandbox,
    find,
    process,
    log,
    exit,
    onOutput(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async message({ code }) {
      const said = await readFile(lastWords(launch.folder), "utf8").catch(() => "");
      if (said !== "" || spec.terminationMessagePolicy !== "FallbackToLogsOnError" || code === 0) return said.slice(0, LONGEST_MESSAGE);
      const lines = (await readFile(logPath, "utf8").catch(() => "")).split("\n").slice(-81);
      return lines
        .map((line) => line.split(" ").slice(3).join(" "))
        .join("\n")
        .slice(-2048);
    },
  };
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** A program that is being measured. */
export interface Measured {
  /** Seconds of CPU since it started, of all its threads. */
  cpu(): number;
  /** The most memory it had resident since its start or `forgetPeak`, and what it has now. */
  memory(): { readonly peakMb: number; readonly rssMb: number };
  /** From now on, the most memory is counted anew. */
  forgetPeak(): void;
  /** The next line of its output; that it ends, or is silent for minutes, is an error. */
  line(): Promise<string>;
  /** When it has stopped using the CPU. */
  quiet(): Promise<void>;
  /** Asks it to end, and ends it after so many milliseconds. */
  stop(late?: number): Promise<void>;
}

const TICKS_PER_SECOND = 100;
const QUIET_MS = 300;
/** Some are never quite quiet. */
const QUIET_LOOKS = 30;
/** A program that has not ended by then is ended. */
const LATE_MS = 5_000;
/** Whoever has nothing to say for so long, while a line is waited for, hangs. */
const SILENT_MS = 180_000;

/** Starts a program whose log goes to a file; figures come from /proc, so that it is not asked to measure itself. */
export function measured(command: string, args: readonly string[], env: NodeJS.ProcessEnv, log: string): Measured {
  const errors = openSync(log, "w");
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", errors] });
  closeSync(errors);
  // Said where its lines are read.
  child.on("error", () => {});
  const proc = (file: string) => readFileSync(`/proc/${child.pid}/${file}`, "utf8");
  const cpu = () => {
    const fields = proc("stat")
      .replace(/^.*\) /s, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  };
  const lines = linesOf(child, command, log);
  return {
    cpu,
    memory() {
      const status = proc("status");
      const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
      return { peakMb: of("VmHWM"), rssMb: of("VmRSS") };
    },
    forgetPeak: () => writeFileSync(`/proc/${child.pid}/clear_refs`, "5"),
    async line() {
      const late = setTimeout(() => child.kill("SIGKILL"), SILENT_MS);
      try {
        return ((await lines.next()) as { readonly value: string }).value;
      } finally {
        clearTimeout(late);
      }
    },
    async quiet() {
      for (let look = 0, before = -1, now = cpu(); now - before > 0.011 && look < QUIET_LOOKS; look++, before = now, now = cpu())
        await delay(QUIET_MS);
    },
    async stop(late = LATE_MS) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.stdin?.end();
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), late);
      await gone;
      clearTimeout(timer);
    },
  };
}

async function* linesOf(child: ChildProcess, command: string, log: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of child.stdout!.setEncoding("utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
  throw new Error(`${command} has ended. The end of its log:\n${readFileSync(log, "utf8").slice(-2000)}`);
}

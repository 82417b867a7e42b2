import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** A program that is being measured. */
export interface Measured {
  /** Seconds of CPU since it started, of all its threads. */
  cpu(): number;
  /** The most memory it ever had resident, and what it has now. */
  memory(): { readonly peakMb: number; readonly rssMb: number };
  /** Its output, line by line. */
  readonly lines: AsyncIterableIterator<string>;
  /** When it has stopped using the CPU. */
  quiet(): Promise<void>;
  stop(): Promise<void>;
}

const TICKS_PER_SECOND = 100;
const QUIET_MS = 300;
/** A program that has not ended by then is ended. */
const LATE_MS = 5_000;

/** Starts a program whose log goes to a file; figures come from /proc, so that it is not asked to measure itself. */
export function measured(command: string, args: readonly string[], env: NodeJS.ProcessEnv, log: string): Measured {
  const errors = openSync(log, "w");
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", errors] });
  closeSync(errors);
  const proc = (file: string) => readFileSync(`/proc/${child.pid}/${file}`, "utf8");
  const cpu = () => {
    const fields = proc("stat")
      .replace(/^.*\) /s, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  };
  return {
    cpu,
    memory() {
      const status = proc("status");
      const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
      return { peakMb: of("VmHWM"), rssMb: of("VmRSS") };
    },
    lines: linesOf(child, command, log),
    async quiet() {
      for (let before = -1, now = cpu(); now - before > 0.011; before = now, now = cpu()) await delay(QUIET_MS);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.stdin?.end();
      child.kill("SIGTERM");
      const late = setTimeout(() => child.kill("SIGKILL"), LATE_MS);
      await gone;
      clearTimeout(late);
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

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** A child process whose CPU time and memory are read from /proc. */
export interface MeasuredProcess {
  /** CPU seconds of all its threads since it started. */
  cpuSeconds(): number;
  /** The peak RSS since the start or the last `resetPeakRss`, and the current RSS. */
  readMemory(): { readonly peakMb: number; readonly rssMb: number };
  resetPeakRss(): void;
  /** Resolves with the next line of its output; rejects if it exits or prints nothing for three minutes. */
  readLine(): Promise<string>;
  /** Resolves when it has stopped using the CPU, or after nine seconds. */
  waitUntilIdle(): Promise<void>;
  /** Sends SIGTERM, and SIGKILL after `graceMs`. Default: 5 s. */
  stop(graceMs?: number): Promise<void>;
}

const TICKS_PER_SECOND = 100;
const IDLE_SAMPLE_MS = 300;
/** Some programs are never entirely idle. */
const MAX_IDLE_SAMPLES = 30;
const STOP_GRACE_MS = 5_000;
/** A program that prints nothing for this long while a line is awaited hangs. */
const LINE_TIMEOUT_MS = 180_000;

/** Starts a program with its log in a file. It is measured from outside, through /proc. */
export function startMeasured(command: string, args: readonly string[], env: NodeJS.ProcessEnv, log: string): MeasuredProcess {
  const logFd = openSync(log, "w");
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", logFd] });
  closeSync(logFd);
  // readLine reports that the program could not be started.
  child.on("error", () => {});
  const readProc = (file: string) => readFileSync(`/proc/${child.pid}/${file}`, "utf8");
  const cpuSeconds = () => {
    const fields = readProc("stat")
      .replace(/^.*\) /s, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  };
  const lines = readLines(child, command, log);
  return {
    cpuSeconds,
    readMemory() {
      const status = readProc("status");
      const readMb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
      return { peakMb: readMb("VmHWM"), rssMb: readMb("VmRSS") };
    },
    resetPeakRss: () => writeFileSync(`/proc/${child.pid}/clear_refs`, "5"),
    async readLine() {
      const timer = setTimeout(() => child.kill("SIGKILL"), LINE_TIMEOUT_MS);
      try {
        return ((await lines.next()) as { readonly value: string }).value;
      } finally {
        clearTimeout(timer);
      }
    },
    async waitUntilIdle() {
      let before = -1;
      let now = cpuSeconds();
      for (let sample = 0; now - before > 0.011 && sample < MAX_IDLE_SAMPLES; sample++) {
        await delay(IDLE_SAMPLE_MS);
        before = now;
        now = cpuSeconds();
      }
    },
    async stop(graceMs = STOP_GRACE_MS) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.stdin?.end();
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

async function* readLines(child: ChildProcess, command: string, log: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of child.stdout!.setEncoding("utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
  throw new Error(`${command} has exited. The end of its log:\n${readFileSync(log, "utf8").slice(-2000)}`);
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

/** What a program that ended has used. */
export interface UsedByProgram {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMb: number;
}

const TICKS_PER_SECOND = 100;
const SAMPLE_MS = 4;

/** Runs a program to its end. It is measured from outside, through /proc: the last sample before its end counts. */
export async function runProgram(command: string, args: readonly string[]): Promise<UsedByProgram> {
  const started = performance.now();
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "inherit"] });
  let [cpuSeconds, peakMb] = [0, 0];
  const sample = () => {
    try {
      const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      cpuSeconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
      const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
      if (peak !== undefined) peakMb = Number(peak) / 1024;
    } catch {
      // It has just ended.
    }
  };
  const timer = setInterval(sample, SAMPLE_MS);
  try {
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) throw new Error(`${command} ended with ${code}`);
    return { seconds: (performance.now() - started) / 1000, cpuSeconds, peakMb };
  } finally {
    clearInterval(timer);
  }
}

import { readdirSync, readFileSync } from "node:fs";

/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** CPU seconds that the processes have used so far. */
export function readCpuSeconds(pids: readonly number[]): number {
  return sumOver(pids, (pid) => {
    const [, , ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/\(.*\)/, "-")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  });
}

/** Steal time: CPU seconds in which the hypervisor ran other machines while this one had work. */
export function readStealSeconds(): number {
  const [total = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  return Number(total.split(/\s+/)[8] ?? 0) / TICKS_PER_SECOND;
}

export function readRssMb(pids: readonly number[]): number {
  return sumOver(pids, (pid) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024);
}

/** The processes of `programs` that have `argument` on their command line. */
export function findProcesses(argument: string, programs: readonly string[]): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const command = readCommandLine(pid);
      return programs.some((program) => command[0]?.endsWith(`/${program}`)) && command.some((word) => word.includes(argument));
    })
    .map(Number);
}

function readCommandLine(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    // The process has exited.
    return [];
  }
}

function sumOver(pids: readonly number[], read: (pid: number) => number): number {
  return pids.reduce((total, pid) => total + read(pid), 0);
}

import { readdirSync, readFileSync } from "node:fs";

/** Linux counts CPU time in hundredths of a second. */
const TICKS = 100;

/** CPU seconds that the processes have used, and the memory they hold; from /proc, because most of them are not ours. */
export function cpuSeconds(pids: readonly number[]): number {
  return sum(pids, (pid) => {
    const [, , ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/\(.*\)/, "-")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  });
}

/** CPU seconds that this machine's host has given to others while somebody here wanted them. */
export function stolenSeconds(): number {
  const [total = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  return Number(total.split(/\s+/)[8] ?? 0) / TICKS;
}

export function rssMb(pids: readonly number[]): number {
  return sum(pids, (pid) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024);
}

/** Processes that were started with `word` on their command line and are one of `programs`. */
export function processesOf(word: string, programs: readonly string[]): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const command = commandOf(pid);
      return programs.some((program) => command[0]?.endsWith(`/${program}`)) && command.some((each) => each.includes(word));
    })
    .map(Number);
}

function commandOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    // It ended while we looked.
    return [];
  }
}

function sum(pids: readonly number[], figure: (pid: number) => number): number {
  return pids.reduce((total, pid) => total + figure(pid), 0);
}

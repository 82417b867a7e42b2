import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";

/** A process of the process table. */
export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  /** The session id, which a process and its descendants share. */
  readonly session: number;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

const TICKS_PER_SECOND = 100;

/** Lists all processes of this machine. */
export async function listProcesses(): Promise<readonly ProcessInfo[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "latin1").catch(() => "")));
  return all.filter((stat) => stat !== "").map(parseStat);
}

function parseStat(stat: string): ProcessInfo {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const number = (at: number) => Number(fields[at] ?? 0);
  return {
    pid: Number.parseInt(stat, 10),
    parent: number(1),
    session: number(3),
    cpuSeconds: (number(11) + number(12)) / TICKS_PER_SECOND,
    memoryBytes: number(21) * getPageSize(),
  };
}

let cachedPageSize = 0;
/** Derives the page size from the two ways in which the kernel reports the memory of this process. */
function getPageSize(): number {
  if (cachedPageSize === 0) {
    const pages = Number(readFileSync("/proc/self/statm", "latin1").split(" ")[1]);
    cachedPageSize = 2 ** Math.round(Math.log2(process.memoryUsage.rss() / pages));
  }
  return cachedPageSize;
}

import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";

/** One process, as the kernel tells of it. */
export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  /** Whoever started a session and all that came of it share this number. */
  readonly session: number;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

const TICKS_PER_SECOND = 100;

/** Every process of this machine. */
export async function processes(): Promise<readonly ProcessFacts[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "latin1").catch(() => "")));
  return all.filter((stat) => stat !== "").map(factsOf);
}

function factsOf(stat: string): ProcessFacts {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const number = (at: number) => Number(fields[at] ?? 0);
  return {
    pid: Number.parseInt(stat, 10),
    parent: number(1),
    session: number(3),
    cpuSeconds: (number(11) + number(12)) / TICKS_PER_SECOND,
    memoryBytes: number(21) * pageSize(),
  };
}

let known = 0;
/** The kernel counts pages; how large one is, it tells this process by counting its own both ways. */
function pageSize(): number {
  if (known === 0) {
    const pages = Number(readFileSync("/proc/self/statm", "latin1").split(" ")[1]);
    known = 2 ** Math.round(Math.log2(process.memoryUsage.rss() / pages));
  }
  return known;
}

import { arch, cpus, platform, release, totalmem } from "node:os";
import { setTimeout as delay } from "node:timers/promises";

/** Where figures were taken: those of another machine, or of a busy one, are others. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
}

export function machine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
  };
}

const LOOK_MS = 2_000;

/**
 * What part of all cores is used by others, seen for two seconds in which we do nothing. Not the system's load average: that
 * remembers for a minute what the benchmark before this one did.
 */
export async function load(): Promise<number> {
  const before = times();
  await delay(LOOK_MS);
  const after = times();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

function times(): { readonly idle: number; readonly all: number } {
  const sums = cpus().map(({ times }) => ({ idle: times.idle, all: Object.values(times).reduce((sum, each) => sum + each, 0) }));
  return { idle: sums.reduce((sum, { idle }) => sum + idle, 0), all: sums.reduce((sum, { all }) => sum + all, 0) };
}

/** Above this, others have a say in the figures. */
export const BUSY = 0.1;

import { arch, cpus, loadavg, platform, release, totalmem } from "node:os";

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

/** Processes that wanted a core in the last minute, for every core. */
export function load(): number {
  return loadavg()[0]! / cpus().length;
}

/** Above this, others had a say in the figures. */
export const BUSY = 0.5;

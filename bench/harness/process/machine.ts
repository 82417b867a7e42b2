import { arch, cpus, platform, release, totalmem } from "node:os";
import { setTimeout as delay } from "node:timers/promises";

/** The machine on which a benchmark ran. Figures of different machines cannot be compared. */
export interface MachineInfo {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
}

export function describeMachine(): MachineInfo {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
  };
}

const SAMPLE_MS = 2_000;

/**
 * The share of all cores that other processes use, sampled for two seconds in which this process is idle. The load average of the system
 * is no substitute: for a minute it still includes the previous benchmark.
 */
export async function measureCpuLoad(): Promise<number> {
  const before = readCpuTimes();
  await delay(SAMPLE_MS);
  const after = readCpuTimes();
  return 1 - (after.idle - before.idle) / (after.total - before.total);
}

function readCpuTimes(): { readonly idle: number; readonly total: number } {
  const sums = cpus().map(({ times }) => ({ idle: times.idle, total: Object.values(times).reduce((sum, time) => sum + time, 0) }));
  return { idle: sums.reduce((sum, { idle }) => sum + idle, 0), total: sums.reduce((sum, { total }) => sum + total, 0) };
}

/** Above this load, other processes affect the figures. */
export const BUSY_THRESHOLD = 0.1;

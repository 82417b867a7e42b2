import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const CHECK_INTERVAL_MS = 5_000;
/** The process counts as idle below this share of one core. */
const IDLE_CPU_SHARE = 0.05;
/** Smaller heaps are not collected. */
const MIN_HEAP_BYTES = 150e6;
/** Growth since the last collection that makes another one worthwhile. */
const MIN_GROWTH = 1.25;

/**
 * Runs a full garbage collection while the process is idle. V8 collects on allocation only, so after a burst an embedded cluster would keep
 * about twice the memory it needs. Sets a V8 flag, so it is only for processes that belong to the CLI.
 */
export function collectGarbageWhenIdle(intervalMs = CHECK_INTERVAL_MS): void {
  let heapAfterLastGc = 0;
  let cpuBaseline = process.cpuUsage();
  setInterval(() => {
    const { user, system } = process.cpuUsage(cpuBaseline);
    cpuBaseline = process.cpuUsage();
    const { heapUsed } = process.memoryUsage();
    if ((user + system) / 1000 > IDLE_CPU_SHARE * intervalMs || heapUsed < MIN_HEAP_BYTES || heapUsed < MIN_GROWTH * heapAfterLastGc)
      return;
    runGarbageCollection();
    heapAfterLastGc = process.memoryUsage().heapUsed;
    // The CPU time of the collection does not count as activity.
    cpuBaseline = process.cpuUsage();
  }, intervalMs).unref();
}

function runGarbageCollection(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

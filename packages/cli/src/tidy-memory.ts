import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const LOOK_MS = 5_000;
/** Less than this part of a core was used since the last look: nobody is kept waiting. */
const IDLE = 0.05;
/** Below that there is nothing to win. */
const SMALL = 150e6;
/** And so much more than there was after the last time. */
const GROWN = 1.25;

/**
 * Gives memory back when nothing happens. V8 collects garbage when it needs room, not when it has time: a cluster that has seen
 * a burst would keep twice of what it holds until the next one. For processes that are ours alone.
 */
export function tidyMemory(every = LOOK_MS): void {
  let left = 0;
  let used = process.cpuUsage();
  setInterval(() => {
    const { user, system } = process.cpuUsage(used);
    used = process.cpuUsage();
    const { heapUsed } = process.memoryUsage();
    if ((user + system) / 1000 > IDLE * every || heapUsed < SMALL || heapUsed < GROWN * left) return;
    collect();
    left = process.memoryUsage().heapUsed;
    // Its own work is no reason to think that something happens.
    used = process.cpuUsage();
  }, every).unref();
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

import { ignoreError, runInBackground } from "pintle/internal/errors";
import { nanos } from "../../builtin/index.ts";
import type { NodeContext } from "./node-context.ts";
import type { PodWorker } from "./pod-worker/pod-worker.ts";
import { listProcesses } from "./runtime/process-table.ts";
import type { RunningContainer } from "./runtime/running-container.ts";

const PERIOD = 500;

/** Starts the watcher that kills containers above their memory limit, as the kernel does in a cgroup. */
export function startOomWatcher({ oomKilled }: NodeContext, workers: ReadonlyMap<string, PodWorker>): { stop(): void } {
  let isBusy = false;
  const checkMemory = async () => {
    const limited = [...workers.values()].flatMap(({ running }) =>
      [...running.values()].filter((each) => getMemoryLimit(each) !== undefined),
    );
    if (limited.length === 0) return;
    const all = await listProcesses();
    for (const container of limited) {
      const used = all.filter(({ session }) => session === container.process.pid).reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
      if (used <= getMemoryLimit(container)!) continue;
      oomKilled.add(container.id);
      container.process.signalAll("SIGKILL");
    }
  };
  // In real time: memory usage does not follow the cluster's clock.
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    const checked = checkMemory().finally(() => {
      isBusy = false;
    });
    // The next turn checks again.
    runInBackground(checked, ignoreError);
  }, PERIOD);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

function getMemoryLimit({ spec }: RunningContainer): number | undefined {
  const limit = spec.resources?.limits?.["memory"];
  return limit === undefined ? undefined : Number(nanos(String(limit)) / 1_000_000_000n);
}

import { nanos } from "../../builtin/index.ts";
import type { Ground } from "./ground.ts";
import type { PodWorker } from "./pod-worker.ts";
import type { RunningContainer } from "./runtime/container.ts";
import { processes } from "./runtime/machine.ts";

const PERIOD = 500;

/** Ends containers that use more memory than they may, as the kernel does where they are in a group of its own. */
export function memoryWatch({ oomKilled }: Ground, workers: ReadonlyMap<string, PodWorker>): { stop(): void } {
  let isBusy = false;
  const look = async () => {
    const limited = [...workers.values()].flatMap(({ running }) => [...running.values()].filter((each) => limitOf(each) !== undefined));
    if (limited.length === 0) return;
    const all = await processes();
    for (const container of limited) {
      const used = all.filter(({ session }) => session === container.process.pid).reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
      if (used <= limitOf(container)!) continue;
      oomKilled.add(container.id);
      container.process.signalAll("SIGKILL");
    }
  };
  // Memory is used in real time, whatever the cluster's clock says.
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    void look().finally(() => {
      isBusy = false;
    });
  }, PERIOD);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

function limitOf({ spec }: RunningContainer): number | undefined {
  const limit = spec.resources?.limits?.["memory"];
  return limit === undefined ? undefined : Number(nanos(String(limit)) / 1_000_000_000n);
}

import { setTimeout as pause } from "node:timers/promises";
import type { PodUsage, Usage } from "../../streams.ts";
import type { PodWorker } from "../pod-worker.ts";
import { type ProcessFacts, processes } from "../runtime/machine.ts";

interface Sample {
  /** Of this machine's monotonic clock: processes live in real time. */
  readonly at: number;
  readonly bySession: ReadonlyMap<number, { readonly cpuSeconds: number; readonly memoryBytes: number }>;
}

const SHORTEST = 200;
const LONGEST = 60_000;

/** What containers use: memory now, processor since somebody last asked, or for a moment now. */
export function usageMeter(workers: ReadonlyMap<string, PodWorker>) {
  let before: Sample | undefined;
  return async (): Promise<{ readonly node: Usage; readonly pods: readonly PodUsage[] }> => {
    let now = await sample();
    if (before === undefined || now.at - before.at > LONGEST || now.at - before.at < SHORTEST) {
      before = now;
      await pause(SHORTEST);
      now = await sample();
    }
    const earlier = before;
    before = now;
    const usageOf = (pid: number): Usage => {
      const last = now.bySession.get(pid) ?? { cpuSeconds: 0, memoryBytes: 0 };
      const used = Math.max(0, last.cpuSeconds - (earlier.bySession.get(pid)?.cpuSeconds ?? 0));
      return { cpuNanoCores: Math.round((used / ((now.at - earlier.at) / 1000)) * 1e9), memoryBytes: last.memoryBytes };
    };
    const pods = [...workers.values()]
      .filter(({ running }) => running.size > 0)
      .map(({ pod, running }) => ({
        namespace: pod.metadata.namespace,
        pod: pod.metadata.name,
        containers: Object.fromEntries([...running].map(([name, { process }]) => [name, usageOf(process.pid)])),
      }));
    const all = pods.flatMap(({ containers }) => Object.values(containers));
    const node = {
      cpuNanoCores: all.reduce((sum, { cpuNanoCores }) => sum + cpuNanoCores, 0),
      memoryBytes: all.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
    };
    return { node, pods };
  };
}

async function sample(): Promise<Sample> {
  const bySession = new Map<number, { readonly cpuSeconds: number; readonly memoryBytes: number }>();
  const add = ({ session, cpuSeconds, memoryBytes }: ProcessFacts) => {
    const sum = bySession.get(session) ?? { cpuSeconds: 0, memoryBytes: 0 };
    bySession.set(session, { cpuSeconds: sum.cpuSeconds + cpuSeconds, memoryBytes: sum.memoryBytes + memoryBytes });
  };
  for (const each of await processes()) add(each);
  return { at: performance.now(), bySession };
}

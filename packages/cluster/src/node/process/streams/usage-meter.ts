import { setTimeout as pause } from "node:timers/promises";
import type { PodResourceUsage, ResourceUsage } from "../../node-streams.ts";
import type { PodWorker } from "../pod-worker/pod-worker.ts";
import { listProcesses, type ProcessInfo } from "../runtime/process-table.ts";

interface UsageSample {
  /** Of the monotonic clock: processes run in real time. */
  readonly at: number;
  readonly bySession: ReadonlyMap<number, { readonly cpuSeconds: number; readonly memoryBytes: number }>;
}

const MIN_INTERVAL = 200;
const MAX_INTERVAL = 60_000;

/** Creates the usage meter: memory now, CPU since the previous call or over a short interval. */
export function createUsageMeter(workers: ReadonlyMap<string, PodWorker>) {
  let before: UsageSample | undefined;
  return async (): Promise<{ readonly node: ResourceUsage; readonly pods: readonly PodResourceUsage[] }> => {
    let now = await takeSample();
    if (before === undefined || now.at - before.at > MAX_INTERVAL || now.at - before.at < MIN_INTERVAL) {
      before = now;
      await pause(MIN_INTERVAL);
      now = await takeSample();
    }
    const earlier = before;
    before = now;
    const usageOf = (pid: number): ResourceUsage => {
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

async function takeSample(): Promise<UsageSample> {
  const bySession = new Map<number, { readonly cpuSeconds: number; readonly memoryBytes: number }>();
  const add = ({ session, cpuSeconds, memoryBytes }: ProcessInfo) => {
    const sum = bySession.get(session) ?? { cpuSeconds: 0, memoryBytes: 0 };
    bySession.set(session, { cpuSeconds: sum.cpuSeconds + cpuSeconds, memoryBytes: sum.memoryBytes + memoryBytes });
  };
  for (const each of await listProcesses()) add(each);
  return { at: performance.now(), bySession };
}

import type { Ground } from "./ground.ts";
import type { PodWorker } from "./pod-worker.ts";
import type { RunningContainer } from "./runtime/container.ts";

export interface Victim {
  readonly namespace: string;
  readonly pod: string;
  /** Default: the first one. */
  readonly container?: string | undefined;
}

/** What can be made to go wrong on a node, for tests. */
export interface FaultKit {
  /** kill -9, or any other signal, to a container and all its children. */
  kill(victim: Victim, signal?: NodeJS.Signals): void;
  /** It neither runs nor ends, until it goes on. */
  hang(victim: Victim): void;
  resume(victim: Victim): void;
  /** Containers of an image take so many milliseconds longer to start, from now on. */
  slowStart(image: string, ms: number): void;
  /** So many bytes are left on a volume, from the container's next start on; what was there is seen. Only with mount namespaces. */
  fullDisk(victim: Victim, volume: string, room: number): void;
  /** The node neither hears nor says anything, until it is found; its processes go on. */
  lose(): void;
  find(): Promise<void>;
  /** Nothing gets from one pod to the other, until it is mended. Only where pods have network namespaces. */
  cut(one: Victim, other: Victim): Promise<void>;
  mend(one: Victim, other: Victim): Promise<void>;
  /** The process that is the container. */
  pid(victim: Victim): number;
}

const LEAST_ROOM = 16 * 1024;

export function faultKit(ground: Ground, workers: ReadonlyMap<string, PodWorker>, back: () => Promise<void>): FaultKit {
  const { faults } = ground;
  const workerOf = ({ namespace, pod }: Victim): PodWorker => {
    const found = [...workers.values()].find(({ pod: { metadata } }) => metadata.namespace === namespace && metadata.name === pod);
    if (found === undefined) throw new Error(`fault kit: node ${ground.node.name} has no pod ${namespace}/${pod}`);
    return found;
  };
  const runningOf = (victim: Victim): RunningContainer => {
    const { running, pod } = workerOf(victim);
    const name = victim.container ?? pod.spec.containers[0]!.name;
    const found = running.get(name);
    if (found === undefined) throw new Error(`fault kit: container ${name} of pod ${victim.namespace}/${victim.pod} does not run`);
    return found;
  };
  const between = async (one: Victim, other: Victim, isCut: boolean) => {
    const [a, b] = [workerOf(one).sandbox, workerOf(other).sandbox];
    if (a?.cut === undefined || b?.cut === undefined)
      throw new Error(`fault kit: ways between pods can be cut only where they have network namespaces: the mode is ${ground.driver.mode}`);
    await Promise.all([a.cut(b.address, isCut), b.cut(a.address, isCut)]);
  };
  return {
    kill: (victim, signal = "SIGKILL") => runningOf(victim).process.signalAll(signal),
    hang: (victim) => runningOf(victim).process.signalAll("SIGSTOP"),
    resume: (victim) => runningOf(victim).process.signalAll("SIGCONT"),
    slowStart: (image, ms) => void faults.slow.set(image, ms),
    fullDisk(victim, volume, room) {
      const { pod } = workerOf(victim);
      if (ground.driver.mode !== "namespaces")
        throw new Error(`fault kit: disks can be full only where pods have mount namespaces: the mode is ${ground.driver.mode}`);
      if (pod.spec.volumes?.some(({ name }) => name === volume) !== true)
        throw new Error(`fault kit: pod ${victim.namespace}/${victim.pod} has no volume ${volume}`);
      // Less than a page is none; a directory needs some of it.
      faults.room.set(`${victim.namespace}/${victim.pod}/${volume}`, Math.max(room, LEAST_ROOM));
    },
    lose() {
      faults.isLost = true;
    },
    async find() {
      faults.isLost = false;
      await back();
    },
    cut: (one, other) => between(one, other, true),
    mend: (one, other) => between(one, other, false),
    pid: (victim) => runningOf(victim).process.pid,
  };
}

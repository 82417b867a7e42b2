import { PintleError } from "pintle/internal/errors";
import type { NodeContext } from "./node-context.ts";
import type { PodWorker } from "./pod-worker/pod-worker.ts";
import type { RunningContainer } from "./runtime/running-container.ts";

/** The container that a fault is injected into. */
export interface FaultTarget {
  /** The namespace of the pod. */
  readonly namespace: string;
  /** The name of the pod. */
  readonly pod: string;
  /** Default: the first container. */
  readonly container?: string | undefined;
}

/** Injects faults into a node, for tests. */
export interface NodeFaultInjector {
  /** Sends a signal to a container and all its child processes. Default: SIGKILL. */
  kill(target: FaultTarget, signal?: NodeJS.Signals): void;
  /** Suspends a container (SIGSTOP) until it is resumed. */
  pause(target: FaultTarget): void;
  /** Resumes a suspended container (SIGCONT). */
  resume(target: FaultTarget): void;
  /** Delays every start of containers of an image by this many milliseconds. */
  slowStart(image: string, ms: number): void;
  /**
   * Limits the free space of a volume from the container's next start, in bytes. Existing files stay visible. Requires mount namespaces.
   */
  limitDiskSpace(target: FaultTarget, volume: string, bytes: number): void;
  /** Disconnects the node from the API server until it is reconnected. Its processes keep running. */
  disconnect(): void;
  /** Reconnects the node, which then reports the present state of its pods. */
  reconnect(): Promise<void>;
  /** Drops all traffic between two pods until it is healed. Requires network namespaces. */
  partition(one: FaultTarget, other: FaultTarget): Promise<void>;
  /** Ends the partition of two pods. */
  heal(one: FaultTarget, other: FaultTarget): Promise<void>;
  /** Returns the process id of a container. */
  pid(target: FaultTarget): number;
}

const MIN_DISK_SPACE = 16 * 1024;

export function createFaultInjector(
  context: NodeContext,
  workers: ReadonlyMap<string, PodWorker>,
  onReconnect: () => Promise<void>,
): NodeFaultInjector {
  const { faults } = context;
  const findWorker = ({ namespace, pod }: FaultTarget): PodWorker => {
    const match = [...workers.values()].find(({ pod: { metadata } }) => metadata.namespace === namespace && metadata.name === pod);
    if (match === undefined)
      throw new PintleError("PINTLE6310", `fault injection: node ${context.node.name} has no pod ${namespace}/${pod}`);
    return match;
  };
  const findContainer = (target: FaultTarget): RunningContainer => {
    const { running, pod } = findWorker(target);
    const name = target.container ?? pod.spec.containers[0]!.name;
    const match = running.get(name);
    if (match === undefined)
      throw new PintleError("PINTLE6311", `fault injection: container ${name} of pod ${target.namespace}/${target.pod} is not running`);
    return match;
  };
  const setPartition = async (one: FaultTarget, other: FaultTarget, isCut: boolean) => {
    const [a, b] = [findWorker(one).sandbox, findWorker(other).sandbox];
    if (a?.setPartitioned === undefined || b?.setPartitioned === undefined)
      throw new PintleError(
        "PINTLE6312",
        `fault injection: a network partition requires the mode "namespaces", but the mode is "${context.driver.mode}"`,
      );
    await Promise.all([a.setPartitioned(b.address, isCut), b.setPartitioned(a.address, isCut)]);
  };
  return {
    kill: (target, signal = "SIGKILL") => findContainer(target).process.signalAll(signal),
    pause: (target) => findContainer(target).process.signalAll("SIGSTOP"),
    resume: (target) => findContainer(target).process.signalAll("SIGCONT"),
    slowStart: (image, ms) => void faults.startDelays.set(image, ms),
    limitDiskSpace(target, volume, bytes) {
      const { pod } = findWorker(target);
      if (context.driver.mode !== "namespaces")
        throw new PintleError(
          "PINTLE6314",
          `fault injection: a disk space limit requires the mode "namespaces", but the mode is "${context.driver.mode}"`,
        );
      if (pod.spec.volumes?.some(({ name }) => name === volume) !== true)
        throw new PintleError("PINTLE6313", `fault injection: pod ${target.namespace}/${target.pod} has no volume ${volume}`);
      // Less than a page counts as no space, and a directory needs some of it.
      faults.diskSpace.set(`${target.namespace}/${target.pod}/${volume}`, Math.max(bytes, MIN_DISK_SPACE));
    },
    disconnect() {
      faults.isDisconnected = true;
    },
    async reconnect() {
      faults.isDisconnected = false;
      await onReconnect();
    },
    partition: (one, other) => setPartition(one, other, true),
    heal: (one, other) => setPartition(one, other, false),
    pid: (target) => findContainer(target).process.pid,
  };
}

import { Worker } from "node:worker_threads";
import { type Logger, NotLeading } from "../../controller/index.ts";
import { runInBackground } from "../../errors/index.ts";
import type { LeaderCallbacks, LeaderElector, LeaseTimings } from "./leader-elector.ts";

/** Options of the elector thread. It connects by itself, with the same kubeconfig or service account. */
export interface ElectorThreadOptions {
  readonly kubeconfig: string | undefined;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly identity: string;
  readonly timings: LeaseTimings;
  /** Milliseconds that the main thread's event loop may be blocked before the lease is given up. */
  readonly stallTimeout: number;
}
/** Indexes of the shared times, in nanoseconds of `process.hrtime`, which is the same in all threads. */
export const DEADLINE = 0;
export const HEARTBEAT = 1;
export interface ElectorThreadData extends ElectorThreadOptions {
  readonly times: BigInt64Array;
}
export type ElectorThreadMessage =
  | { readonly type: "ready" | "startedLeading" | "stopped" }
  | { readonly type: "stoppedLeading"; readonly reason: string }
  | {
      readonly type: "log";
      readonly level: "debug" | "info" | "warn" | "error";
      readonly message: string;
      readonly fields: Readonly<Record<string, unknown>>;
    };
/** "workersStopped" acknowledges "stoppedLeading". */
export type ElectorThreadCommand = { readonly type: "run" | "workersStopped" | "stop" };

const HEARTBEAT_INTERVAL_MS = 1_000;

/**
 * Starts a leader elector in a worker thread: a reconcile that blocks the event loop delays watches and timers, but not the renewal of the lease. Rejects
 * if the thread cannot be started, for example in a program bundled into one file.
 */
export async function startElectorThread(options: ElectorThreadOptions, logger: Logger): Promise<LeaderElector> {
  const times = new BigInt64Array(new SharedArrayBuffer(16));
  const writeHeartbeat = () => void Atomics.store(times, HEARTBEAT, process.hrtime.bigint());
  writeHeartbeat();
  const data: ElectorThreadData = { ...options, times };
  // Resolved by package name: in the published package this module is part of a bundle.
  const worker = new Worker(new URL(import.meta.resolve("pintle/internal/manager/elector-worker")), { workerData: data });
  const send = (type: ElectorThreadCommand["type"]) => worker.postMessage({ type } satisfies ElectorThreadCommand);
  const isLeading = () => process.hrtime.bigint() < Atomics.load(times, DEADLINE);
  let callbacks: LeaderCallbacks | undefined;
  let onStopped = () => {};
  let onEnd = () => {};

  await new Promise<void>((resolve, reject) => {
    worker.once("error", reject);
    worker.on("message", (message: ElectorThreadMessage) => {
      if (message.type === "ready") resolve();
      else if (message.type === "log") logger[message.level](message.message, message.fields);
      else if (message.type === "stopped") onStopped();
      else if (message.type === "startedLeading") callbacks?.onStartedLeading();
      else if (message.type === "stoppedLeading") {
        const stopped = callbacks?.onStoppedLeading(message.reason).then(() => send("workersStopped"));
        runInBackground(stopped, (error) => logger.error("Failed to stop workers", { error }));
      }
    });
  });
  const heartbeat = setInterval(writeHeartbeat, HEARTBEAT_INTERVAL_MS);
  heartbeat.unref();
  return {
    run(leaderCallbacks) {
      callbacks = leaderCallbacks;
      send("run");
      return new Promise((resolve, reject) => {
        onEnd = resolve;
        worker.once("error", reject);
      });
    },
    get isLeading() {
      return isLeading();
    },
    writeGate() {
      if (!isLeading()) throw new NotLeading(`the lease ${options.name} is not held, or was not renewed in time`);
    },
    async stop() {
      const stopped = new Promise<void>((resolve) => {
        onStopped = resolve;
      });
      send("stop");
      await stopped;
      clearInterval(heartbeat);
      await worker.terminate();
      onEnd();
    },
  };
}

import { Worker } from "node:worker_threads";
import { type Logger, NotLeading } from "../controller/index.ts";
import type { Elector, Mandate, Timings } from "./elector.ts";

/** What the thread needs to know. It makes its own connection, from the same kubeconfig or pod. */
export interface ThreadOptions {
  readonly kubeconfig: string | undefined;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly identity: string;
  readonly timings: Timings;
  /** Milliseconds the event loop of the work may stand still before the lease is given up. */
  readonly stall: number;
}
/** Two times, in nanoseconds of `process.hrtime`, which all threads share. */
export const DEADLINE = 0;
export const HEARTBEAT = 1;
export interface ThreadData extends ThreadOptions {
  readonly times: BigInt64Array;
}
export type FromThread =
  | { readonly type: "ready" | "taken" | "stopped" }
  | { readonly type: "lost"; readonly why: string }
  | {
      readonly type: "log";
      readonly level: "debug" | "info" | "warn" | "error";
      readonly message: string;
      readonly fields: Readonly<Record<string, unknown>>;
    };
export type ToThread = { readonly type: "campaign" | "ended" | "stop" };

const BEAT = 1_000;

/**
 * An elector in a thread of its own: a reconcile that computes for a long time stops watches and timers, but not the renewal
 * of the lease. Rejects when no thread can be started, for example in a program bundled into one file.
 */
export async function electorThread(options: ThreadOptions, logger: Logger): Promise<Elector> {
  const times = new BigInt64Array(new SharedArrayBuffer(16));
  const beat = () => void Atomics.store(times, HEARTBEAT, process.hrtime.bigint());
  beat();
  const data: ThreadData = { ...options, times };
  // By name, not by place: in the published package this file is part of another.
  const worker = new Worker(new URL(import.meta.resolve("pintle/manager/elector-worker")), { workerData: data });
  const tell = (type: ToThread["type"]) => worker.postMessage({ type } satisfies ToThread);
  const leading = () => process.hrtime.bigint() < Atomics.load(times, DEADLINE);
  let mandate: Mandate | undefined;
  let stopped = () => {};
  let over = () => {};

  await new Promise<void>((resolve, reject) => {
    worker.once("error", reject);
    worker.on("message", (said: FromThread) => {
      if (said.type === "ready") resolve();
      else if (said.type === "log") logger[said.level](said.message, said.fields);
      else if (said.type === "stopped") stopped();
      else if (said.type === "taken") mandate?.taken();
      else if (said.type === "lost") void mandate?.lost(said.why).then(() => tell("ended"));
    });
  });
  const beating = setInterval(beat, BEAT);
  beating.unref();
  return {
    campaign(given) {
      mandate = given;
      tell("campaign");
      return new Promise((resolve, reject) => {
        over = resolve;
        worker.once("error", reject);
      });
    },
    get leading() {
      return leading();
    },
    gate() {
      if (!leading()) throw new NotLeading(`the lease ${options.name} is not held, or was not renewed in time`);
    },
    async stop() {
      const ended = new Promise<void>((resolve) => {
        stopped = resolve;
      });
      tell("stop");
      await ended;
      clearInterval(beating);
      await worker.terminate();
      over();
    },
  };
}

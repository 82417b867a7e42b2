import { parentPort, workerData } from "node:worker_threads";
import { connect } from "../../client/index.ts";
import { systemClock } from "../../clock/index.ts";
import type { LogFields, Logger } from "../../controller/index.ts";
import { runInBackground } from "../../errors/index.ts";
import { DEADLINE, type ElectorThreadCommand, type ElectorThreadData, type ElectorThreadMessage, HEARTBEAT } from "./elector-thread.ts";
import { createLeaderElector, type LeaderCallbacks } from "./leader-elector.ts";

/** The worker thread: a leader elector whose deadline the main thread reads from shared memory. */
const { kubeconfig, name, namespace, identity, timings, stallTimeout, times } = workerData as ElectorThreadData;
const port = parentPort!;
const send = (message: ElectorThreadMessage) => port.postMessage(message);
const nanoseconds = (ms: number) => BigInt(Math.round(ms * 1e6));
/** Converts a time of this thread's monotonic clock to the clock that all threads share. */
const toSharedTime = (at: number) =>
  at === Number.NEGATIVE_INFINITY ? 0n : process.hrtime.bigint() + nanoseconds(at - systemClock.monotonic());

const forwardLog =
  (level: Extract<ElectorThreadMessage, { type: "log" }>["level"]) =>
  (message: string, fields: LogFields = {}) => {
    const serializable = Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key, value instanceof Error ? value.message : value]),
    );
    send({ type: "log", level, message, fields: serializable });
  };
const logger: Logger = {
  debug: forwardLog("debug"),
  info: forwardLog("info"),
  warn: forwardLog("warn"),
  error: forwardLog("error"),
  with: () => logger,
};

const client = await connect({ kubeconfig, onWarning: () => {} });
const elector = createLeaderElector({
  client,
  clock: systemClock,
  random: Math.random,
  logger,
  name,
  namespace: namespace ?? client.namespace,
  identity,
  timings,
  isAlive: () => process.hrtime.bigint() - Atomics.load(times, HEARTBEAT) < nanoseconds(stallTimeout),
  onDeadlineChange: (deadline) => void Atomics.store(times, DEADLINE, toSharedTime(deadline)),
});
let onWorkersStopped = () => {};
const callbacks: LeaderCallbacks = {
  onStartedLeading: () => send({ type: "startedLeading" }),
  onStoppedLeading: (reason) =>
    new Promise((resolve) => {
      onWorkersStopped = resolve;
      send({ type: "stoppedLeading", reason });
    }),
};
/** Ends the thread with the error, which the main thread receives. */
const failThread = (error: unknown) =>
  void setImmediate(() => {
    throw error;
  });
port.on("message", ({ type }: ElectorThreadCommand) => {
  if (type === "run") runInBackground(elector.run(callbacks), failThread);
  else if (type === "workersStopped") onWorkersStopped();
  else {
    onWorkersStopped();
    const stopped = elector
      .stop()
      .then(() => client.close())
      .then(() => send({ type: "stopped" }));
    runInBackground(stopped, failThread);
  }
});
send({ type: "ready" });

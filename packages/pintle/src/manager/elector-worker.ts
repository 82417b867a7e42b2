import { parentPort, workerData } from "node:worker_threads";
import { connect } from "../client/index.ts";
import type { Fields, Logger } from "../controller/index.ts";
import { systemClock } from "../queue/index.ts";
import { elector, type Mandate } from "./elector.ts";
import { DEADLINE, type FromThread, HEARTBEAT, type ThreadData, type ToThread } from "./elector-thread.ts";

/** The thread's side: an ordinary elector, whose deadline the other threads can read. */
const { kubeconfig, name, namespace, identity, timings, stall, times } = workerData as ThreadData;
const port = parentPort!;
const tell = (said: FromThread) => port.postMessage(said);
const nanoseconds = (ms: number) => BigInt(Math.round(ms * 1e6));
/** The same moment on this thread's clock and on the one all threads share. */
const shared = (at: number) => (at === Number.NEGATIVE_INFINITY ? 0n : process.hrtime.bigint() + nanoseconds(at - systemClock.monotonic()));

const say =
  (level: Extract<FromThread, { type: "log" }>["level"]) =>
  (message: string, fields: Fields = {}) => {
    const plain = Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, value instanceof Error ? value.message : value]));
    tell({ type: "log", level, message, fields: plain });
  };
const logger: Logger = { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error"), with: () => logger };

const client = await connect({ kubeconfig, onWarning: () => {} });
const made = elector({
  client,
  clock: systemClock,
  random: Math.random,
  logger,
  name,
  namespace: namespace ?? client.namespace,
  identity,
  timings,
  alive: () => process.hrtime.bigint() - Atomics.load(times, HEARTBEAT) < nanoseconds(stall),
  moved: (deadline) => void Atomics.store(times, DEADLINE, shared(deadline)),
});
let ended = () => {};
const mandate: Mandate = {
  taken: () => tell({ type: "taken" }),
  lost: (why) =>
    new Promise((resolve) => {
      ended = resolve;
      tell({ type: "lost", why });
    }),
};
port.on("message", ({ type }: ToThread) => {
  if (type === "campaign") void made.campaign(mandate);
  else if (type === "ended") ended();
  else {
    ended();
    void made
      .stop()
      .then(() => client.close())
      .then(() => tell({ type: "stopped" }));
  }
});
tell({ type: "ready" });

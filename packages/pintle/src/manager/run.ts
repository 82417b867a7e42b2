import { systemClock } from "../clock/index.ts";
import type { Logger } from "../controller/index.ts";
import { ignoreError, runInBackground } from "../errors/index.ts";
import { createStderrLogger } from "./create-logger.ts";
import { DEFAULTS } from "./defaults.ts";
import { callDescribeHook } from "./describe-hook.ts";
import { leaderElectionFromFlags, metricsServerFromFlags, parseFlags, webhookServerFromFlags } from "./flags.ts";
import type { ManagerOptions } from "./options.ts";
import { createProcessRecorder, learnEnvironment } from "./process-recorder.ts";
import { startManager } from "./start-manager.ts";

/**
 * Runs controllers as a process until SIGTERM or SIGINT. Rejects if the manager fails, so that `await run(...)` at the end of a program exits with an
 * error. If the program does not handle the rejection, the process logs it and exits with 1.
 *
 * ## Guarantees
 *
 * - The first signal stops the manager in order, the second one exits at once.
 * - Five seconds after that stop the process exits, whatever keeps it alive: a call that ran on past the grace period, an open connection pool.
 * - Options that are not set are read from the flags and environment variables that operator manifests use: `--leader-elect`,
 *   `--metrics-bind-address`, `--health-probe-bind-address`, `WATCH_NAMESPACE` and others.
 * - A closed standard output or standard error (EPIPE) stops the manager in order.
 * - An unhandled promise rejection is logged and the process continues, unless `bugs` is "fatal".
 *
 * ## Caveats
 *
 * - While a tool such as `pintle generate` inspects the program, `run()` only reports its options and returns.
 *
 * @example
 * ```ts
 * import { controller, defineResource, run, z } from "pintle";
 *
 * const Memcached = defineResource({ group: "cache.example.com", version: "v1", kind: "Memcached", spec: z.object({ size: z.int() }) });
 * const memcached = controller(Memcached, { reconcile: ({ object, log }) => log.info("seen", { size: object.spec.size }) });
 *
 * await run({ controllers: [memcached] });
 * ```
 */
export async function run(options: ManagerOptions): Promise<void> {
  if (callDescribeHook(options)) return;
  const flags = parseFlags(process.argv.slice(2), process.env);
  const logger = options.logger ?? createStderrLogger(options.clock ?? systemClock);
  const recorder = options.recorder ?? createProcessRecorder(process.env, options.clock ?? systemClock);
  if (recorder !== undefined) learnEnvironment(recorder, process.env);
  const manager = startManager({
    ...options,
    logger,
    // `pintle dev` has its own.
    console: process.env["PINTLE_RECORDER_FD"] === undefined ? options.console : undefined,
    recorder,
    kubeconfig: options.kubeconfig ?? flags.kubeconfig,
    namespaces: options.namespaces ?? flags.namespaces,
    leaderElection: options.leaderElection ?? leaderElectionFromFlags(flags),
    health: options.health ?? flags.healthAddress ?? DEFAULTS.healthAddress,
    metrics: options.metrics ?? metricsServerFromFlags(flags),
    webhookServer: { ...webhookServerFromFlags(flags), ...options.webhookServer },
  });
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    if (++signals > 1) process.exit(1);
    const grace = options.grace ?? DEFAULTS.grace;
    logger.info("Stopping, another signal exits at once", { signal, grace });
    // `done` reports its failure.
    runInBackground(manager.stop(), ignoreError);
  };
  // The reader of the log is gone (`node main.js 2>&1 | head`): as in other programs, nothing is left to do.
  const onPipeError = (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    runInBackground(manager.stop(), ignoreError);
  };
  for (const stream of [process.stdout, process.stderr]) stream.on("error", onPipeError);
  const onRejection = (error: unknown) => logger.error("Unhandled promise rejection", { error });
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, onSignal);
  if (options.bugs !== "fatal") process.on("unhandledRejection", onRejection);
  try {
    await manager.done;
    if (signals > 0) exitUnlessIdle(logger);
  } catch (error) {
    logUncaught(error, logger);
    throw error;
  } finally {
    for (const name of ["SIGTERM", "SIGINT"] as const) process.off(name, onSignal);
    process.off("unhandledRejection", onRejection);
    for (const stream of [process.stdout, process.stderr]) stream.off("error", onPipeError);
  }
}

/** Logs a failure that the program does not handle, where Node would print the line that threw and a stack that no log collector can read. */
function logUncaught(failure: unknown, logger: Logger): void {
  // The program, or a test runner, has a handler of its own.
  if (process.listenerCount("uncaughtException") > 0) return;
  process.once("uncaughtException", (error) => {
    logger.error(error === failure ? "Manager failed" : "Uncaught exception", { error });
    process.exit(1);
  });
}

/** How long after the stop something may keep the process alive. */
const EXIT_DELAY_MS = 5_000;

/** Exits if the process, which was told to stop, does not end by itself. */
function exitUnlessIdle(logger: Logger): void {
  const exit = () => {
    logger.warn("Exiting: the manager has stopped, but something keeps the process alive", { resources: process.getActiveResourcesInfo() });
    process.exit(1);
  };
  setTimeout(exit, EXIT_DELAY_MS).unref();
}

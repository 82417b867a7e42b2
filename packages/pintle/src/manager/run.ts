import { patientCompiler, systemClock } from "../queue/index.ts";
import { described } from "./described.ts";
import { stderrLogger } from "./log-lines.ts";
import type { StartOptions } from "./options.ts";
import { electionOf, metricsOf, settings, webhooksOf } from "./settings.ts";
import { start } from "./start.ts";

const HEALTH = ":8081";

/**
 * Runs controllers until the process is told to stop. The first SIGTERM or SIGINT ends it in order, the second at once.
 *
 * What is not given here is taken from the flags and the environment that operators' manifests use; see `settings`.
 * Where a tool only asks what the operator is made of (`pintle generate`), it starts nothing.
 * A promise that somebody forgot and that rejects is logged, and the process goes on, unless `bugs` are "fatal".
 * Rejects when it cannot go on, so that `await run(...)` at the end of a program makes it exit with an error.
 */
export async function run(options: StartOptions): Promise<void> {
  if (described(options)) return;
  patientCompiler();
  const said = settings(process.argv.slice(2), process.env);
  const logger = options.logger ?? stderrLogger(options.clock ?? systemClock);
  const manager = start({
    ...options,
    logger,
    kubeconfig: options.kubeconfig ?? said.kubeconfig,
    namespaces: options.namespaces ?? said.namespaces,
    leaderElection: options.leaderElection ?? electionOf(said),
    health: options.health ?? said.health ?? HEALTH,
    metrics: options.metrics ?? metricsOf(said),
    webhookServer: { ...webhooksOf(said), ...options.webhookServer },
  });
  let signals = 0;
  const onSignal = () => {
    if (++signals > 1) process.exit(1);
    void manager.stop();
  };
  const onRejection = (error: unknown) => logger.error("a promise was rejected that nobody waited for", { error });
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, onSignal);
  if (options.bugs !== "fatal") process.on("unhandledRejection", onRejection);
  try {
    await manager.done;
  } finally {
    for (const name of ["SIGTERM", "SIGINT"] as const) process.off(name, onSignal);
    process.off("unhandledRejection", onRejection);
  }
}

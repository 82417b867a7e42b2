import type { StartOptions } from "./options.ts";
import { settings } from "./settings.ts";
import { start } from "./start.ts";
import { tracing } from "./tracing.ts";

const HEALTH = ":8081";
const METRICS = ":8080";

/**
 * Runs controllers until the process is told to stop. The first SIGTERM or SIGINT ends it in order, the second at once.
 *
 * What is not given here is taken from the flags and the environment that operators' manifests use; see `settings`.
 * Rejects when it cannot go on, so that `await run(...)` at the end of a program makes it exit with an error.
 */
export async function run(options: StartOptions): Promise<void> {
  const said = settings(process.argv.slice(2), process.env);
  const manager = start({
    ...options,
    kubeconfig: options.kubeconfig ?? said.kubeconfig,
    namespaces: options.namespaces ?? said.namespaces,
    leaderElection: options.leaderElection ?? (said.leaderElection === true ? { namespace: said.podNamespace } : false),
    health: options.health ?? said.health ?? HEALTH,
    trace: options.trace ?? (await tracing()),
    metrics: options.metrics ?? { address: said.metrics ?? METRICS, guarded: said.secureMetrics },
  });
  let signals = 0;
  const onSignal = () => {
    if (++signals > 1) process.exit(1);
    void manager.stop();
  };
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, onSignal);
  try {
    await manager.done;
  } finally {
    for (const name of ["SIGTERM", "SIGINT"] as const) process.off(name, onSignal);
  }
}

import { type StartOptions, start } from "./start.ts";

/** Runs controllers until the process is told to stop. The first SIGTERM or SIGINT ends it in order, the second at once. */
export async function run(options: StartOptions): Promise<void> {
  const manager = start(options);
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

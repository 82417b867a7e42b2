/** Returns a signal that aborts when this process receives SIGINT (Ctrl-C), SIGTERM or SIGHUP. */
export function createShutdownSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    // The handlers stay installed: a second Ctrl-C must not interrupt the cleanup. All waits are bounded.
    process.on(name, () => controller.abort(new Error(`interrupted by ${name}`)));
  }
  return controller.signal;
}

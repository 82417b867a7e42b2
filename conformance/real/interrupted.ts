/** A signal that aborts when this process is asked to end: Ctrl-C, SIGTERM, a closed terminal. */
export function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    // Kept for good: a second Ctrl-C must not cut the cleaning up short. All waits are bounded.
    process.on(name, () => controller.abort(new Error(`interrupted by ${name}`)));
  }
  return controller.signal;
}

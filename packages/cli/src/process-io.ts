import type { Io } from "./command.ts";

/** This process's terminal and signals: the first Ctrl-C asks a command to end, the second ends the process. */
export function processIo(): Io {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(130);
      stop.abort();
    });
  }
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    tty: process.stdout.isTTY === true,
    cwd: process.cwd(),
    signal: stop.signal,
  };
}

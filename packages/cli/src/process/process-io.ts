import { createInterface } from "node:readline/promises";
import { Interrupted, type Io } from "../command/index.ts";

/**
 * Returns the terminal and the signals of this process. The first SIGINT or SIGTERM aborts the command's signal, the second exits.
 *
 * @example
 * ```ts
 * import { main, processIo } from "@pintle/cli";
 *
 * const io = processIo();
 * // In another folder than that of the process.
 * process.exitCode = await main(["generate"], { ...io, cwd: "operators/cache" });
 * ```
 */
export function processIo(): Io {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(130);
      stop.abort(new Interrupted(name, name === "SIGINT" && process.stdin.isTTY === true));
    });
  }
  // The reader of a pipe is gone (`pintle doctor | head -1`): the command stops as after Ctrl-C, and nothing more is printed.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    if (!stop.signal.aborted) stop.abort(new Interrupted("SIGPIPE"));
  });
  process.stderr.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    tty: process.stdout.isTTY === true,
    ...(process.stdin.isTTY === true && process.stdout.isTTY === true
      ? {
          prompt: (question: string) => promptUser(question, stop.signal),
          onKeyPress: (pressed: (key: string) => void) => listenForKeys(pressed, stop),
        }
      : {}),
    cwd: process.cwd(),
    signal: stop.signal,
  };
}

async function promptUser(question: string, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await lines.question(question, { signal });
  } finally {
    lines.close();
  }
}

/** In raw mode the terminal does not turn Ctrl-C into SIGINT, so it is handled here. */
function listenForKeys(pressed: (key: string) => void, stop: AbortController): () => void {
  const { stdin } = process;
  const onData = (bytes: Buffer) => {
    const key = bytes.toString();
    if (key === "\u0003" && stop.signal.aborted) process.exit(130);
    else if (key === "\u0003") stop.abort(new Interrupted("SIGINT"));
    else pressed(key);
  };
  stdin.setRawMode(true).on("data", onData).resume();
  return () => {
    stdin.setRawMode(false).off("data", onData).pause();
  };
}

import { createInterface } from "node:readline/promises";
import { Interrupted, type Io } from "./command.ts";

/** This process's terminal and signals: the first Ctrl-C asks a command to end, the second ends the process. */
export function processIo(): Io {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(130);
      stop.abort(new Interrupted(name === "SIGINT" && process.stdin.isTTY === true));
    });
  }
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    tty: process.stdout.isTTY === true,
    ...(process.stdin.isTTY === true && process.stdout.isTTY === true
      ? { ask: (question: string) => ask(question, stop.signal), keys: (pressed: (key: string) => void) => keys(pressed, stop) }
      : {}),
    cwd: process.cwd(),
    signal: stop.signal,
  };
}

async function ask(question: string, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await lines.question(question, { signal });
  } finally {
    lines.close();
  }
}

/** A terminal that hands over every key no longer turns Ctrl-C into a signal, so that is done here. */
function keys(pressed: (key: string) => void, stop: AbortController): () => void {
  const { stdin } = process;
  const heard = (bytes: Buffer) => {
    const key = bytes.toString();
    if (key === "\u0003") stop.abort(new Interrupted(false));
    else pressed(key);
  };
  stdin.setRawMode(true).on("data", heard).resume();
  return () => {
    stdin.setRawMode(false).off("data", heard).pause();
  };
}

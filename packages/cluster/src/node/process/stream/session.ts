import type { Session, SessionEnd, SessionOptions } from "../../streams.ts";
import type { RunningContainer } from "../runtime/container.ts";
import type { Process } from "../runtime/process.ts";
import { resizeTerminal } from "./terminal.ts";

/** A command's session: whoever hangs up ends it. */
export function commandSession(command: Process, { stdin, tty }: SessionOptions): Session {
  if (!stdin) command.stdin.end();
  return {
    write: (chunk) => written(command.stdin, chunk),
    endInput: () => void command.stdin.end(),
    stdout: command.stdout,
    stderr: command.stderr,
    resize: (size) => void (tty ? resizeTerminal(command.pid, size) : undefined),
    end: command.exit,
    close: () => command.signalAll("SIGKILL"),
  };
}

/** What a container writes from now on; whoever hangs up leaves it running. */
export function attachedSession(container: RunningContainer, { stdin, tty }: SessionOptions): Session {
  const { process, spec } = container;
  const out = channel();
  const errors = channel();
  const off = container.onOutput((stream, chunk) => (stream === "stdout" ? out : errors).push(chunk));
  let close: (end: SessionEnd) => void = () => {};
  const end = new Promise<SessionEnd>((resolve) => {
    close = (ended) => {
      off();
      out.end();
      errors.end();
      resolve(ended);
    };
  });
  void container.exit.then((ended) => close(ended));
  const takes = stdin && spec.stdin === true;
  return {
    write: (chunk) => (takes ? written(process.stdin, chunk) : Promise.resolve()),
    endInput() {
      if (takes && spec.stdinOnce === true) process.stdin.end();
    },
    stdout: out.chunks,
    stderr: errors.chunks,
    resize: (size) => void (tty ? resizeTerminal(process.pid, size) : undefined),
    end,
    close: () => close({ code: 0 }),
  };
}

function written(stdin: NodeJS.WritableStream, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (!stdin.writable) return resolve();
    stdin.write(chunk, () => resolve());
  });
}

/** Chunks that are pushed at one end and iterated at the other. */
function channel() {
  const waiting: Uint8Array[] = [];
  let isEnded = false;
  let wake = () => {};
  return {
    push(chunk: Uint8Array) {
      waiting.push(chunk);
      wake();
    },
    end() {
      isEnded = true;
      wake();
    },
    chunks: (async function* (): AsyncGenerator<Uint8Array> {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (isEnded) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    })(),
  };
}

import { ignoreError, runInBackground } from "pintle/internal/errors";
import { createBytePipe } from "../../byte-pipe.ts";
import type { ContainerSession, ContainerSessionEnd, ContainerSessionOptions } from "../../node-streams.ts";
import type { NodeProcess } from "../runtime/process.ts";
import type { RunningContainer } from "../runtime/running-container.ts";
import { resizeTerminal } from "./terminal.ts";

/** Creates the session of a command, which is killed when the client disconnects. */
export function createCommandSession(command: NodeProcess, { stdin, tty }: ContainerSessionOptions): ContainerSession {
  if (!stdin) command.stdin.end();
  return {
    write: (chunk) => writeChunk(command.stdin, chunk),
    endInput: () => void command.stdin.end(),
    stdout: command.stdout,
    stderr: command.stderr,
    resize: (size) => runInBackground(tty ? resizeTerminal(command.pid, size) : undefined, ignoreError),
    end: command.exit,
    close: () => command.signalAll("SIGKILL"),
  };
}

/** Creates a session with the further output of a container, which keeps running when the client disconnects. */
export function createAttachSession(container: RunningContainer, { stdin, tty }: ContainerSessionOptions): ContainerSession {
  const { process, spec } = container;
  const out = createBytePipe();
  const errors = createBytePipe();
  const removeListener = container.onOutput((stream, chunk) => (stream === "stdout" ? out : errors).write(chunk));
  let close: (end: ContainerSessionEnd) => void = () => {};
  const end = new Promise<ContainerSessionEnd>((resolve) => {
    close = (ended) => {
      removeListener();
      out.end();
      errors.end();
      resolve(ended);
    };
  });
  runInBackground(container.exit.then(close), () => close({ code: 0 }));
  const acceptsInput = stdin && spec.stdin === true;
  return {
    write: (chunk) => (acceptsInput ? writeChunk(process.stdin, chunk) : Promise.resolve()),
    endInput() {
      if (acceptsInput && spec.stdinOnce === true) process.stdin.end();
    },
    stdout: out,
    stderr: errors,
    resize: (size) => runInBackground(tty ? resizeTerminal(process.pid, size) : undefined, ignoreError),
    end,
    close: () => close({ code: 0 }),
  };
}

function writeChunk(stdin: NodeJS.WritableStream, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (!stdin.writable) return resolve();
    stdin.write(chunk, () => resolve());
  });
}

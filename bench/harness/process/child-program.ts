import { fork } from "node:child_process";
import { once } from "node:events";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

/** A Node program that exchanges messages with this process. */
export interface ChildProgram {
  readonly pid: number;
  /** Resolves with its next message; rejects if it exits before. */
  receive<T>(): Promise<T>;
  send(message: string): void;
  stop(): Promise<void>;
}

/** Runs a module in a child process with the built packages: without the condition that makes imports resolve to their sources. */
export function startChild(module: URL, args: readonly string[] = [], flags: readonly string[] = []): ChildProgram {
  const path = fileURLToPath(module);
  const child = fork(path, args, {
    execArgv: [...flags, "--expose-gc", ...(path.endsWith(".ts") ? ["--import", "tsx"] : [])],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const exited = once(child, "exit");
  const failed = exited.then(([code]) => {
    throw new Error(`${basename(path)} exited with code ${code}`);
  });
  failed.catch(() => {});
  return {
    pid: child.pid as number,
    async receive<T>() {
      const [received] = await Promise.race([once(child, "message"), failed]);
      return received as T;
    },
    send: (message) => void child.send(message),
    async stop() {
      child.disconnect();
      await exited;
    },
  };
}

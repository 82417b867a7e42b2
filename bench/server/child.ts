import { fork } from "node:child_process";
import { once } from "node:events";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";

export interface Child {
  readonly pid: number;
  /** What it says next; its death before that is an error. */
  message<T>(): Promise<T>;
  send(message: string): void;
  stop(): Promise<void>;
}

/** A file (of this folder, unless it says otherwise) in a process of its own, which has the packages as they are built and not their sources. */
export function child(file: string, args: readonly string[] = [], flags: readonly string[] = []): Child {
  const path = isAbsolute(file) ? file : fileURLToPath(new URL(file, import.meta.url));
  const started = fork(path, args, {
    execArgv: [...flags, "--expose-gc", ...(path.endsWith(".ts") ? ["--import", "tsx"] : [])],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const exited = once(started, "exit");
  const died = exited.then(([code]) => {
    throw new Error(`bench/server/${file} ended with ${code}`);
  });
  died.catch(() => {});
  return {
    pid: started.pid as number,
    async message<T>() {
      const [received] = await Promise.race([once(started, "message"), died]);
      return received as T;
    },
    send: (message) => void started.send(message),
    async stop() {
      started.disconnect();
      await exited;
    },
  };
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A server in a child process. */
export interface ServerProcess extends AsyncDisposable {
  readonly kubeconfig: string;
  readonly pid: number;
  /** Resolves to the heap in use, in MB, after a garbage collection. */
  memory(): Promise<number>;
}

export async function startServerProcess(): Promise<ServerProcess> {
  const flags = ["--expose-gc", "--conditions=@pintle/source", "--import", "tsx"];
  const child = spawn(process.execPath, [...flags, join(import.meta.dirname, "server.ts")], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => {
    const next = await lines.next();
    if (next.done === true) throw new Error("the server process exited unexpectedly");
    return next.value;
  };
  const kubeconfig = JSON.parse(await line()) as string;
  return {
    kubeconfig,
    pid: child.pid as number,
    async memory() {
      child.stdin.write("\n");
      return Number(await line()) / 1e6;
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
    },
  };
}

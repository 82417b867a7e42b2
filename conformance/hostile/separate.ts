import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A server in a process of its own. */
export interface Separate extends AsyncDisposable {
  readonly kubeconfig: string;
  /** What it holds, in MB, after a collection. */
  memory(): Promise<number>;
}

export async function separateServer(): Promise<Separate> {
  const flags = ["--expose-gc", "--conditions=@pintle/source", "--import", "tsx"];
  const child = spawn(process.execPath, [...flags, join(import.meta.dirname, "server.ts")], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => {
    const next = await lines.next();
    if (next.done === true) throw new Error("the server ended, which it never should");
    return next.value;
  };
  const kubeconfig = JSON.parse(await line()) as string;
  return {
    kubeconfig,
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

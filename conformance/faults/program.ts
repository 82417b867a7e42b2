import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** The result of one action of a client. */
export interface ClientResult {
  readonly ok: boolean;
  readonly code?: number;
  readonly reason?: string;
  /** Seconds. */
  readonly retryAfter?: number;
  /** The connection broke. */
  readonly broken?: boolean;
  readonly events?: readonly string[];
  /** The final state of a watch: it ended, or stayed open and became idle. */
  readonly end?: "ended" | "open";
  /** Milliseconds between the first event and the last. */
  readonly span?: number;
  readonly ms: number;
}

export type ClientAction = "write" | "create" | "list" | "watch";

/** A client in a child process. */
export interface ClientProcess extends AsyncDisposable {
  do(action: ClientAction): Promise<ClientResult>;
}

export function startClientProcess([command, ...args]: readonly string[], kubeconfig: string): ClientProcess {
  const child: ChildProcess = spawn(command!, args, {
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: ["pipe", "pipe", "pipe"],
    cwd: import.meta.dirname,
  });
  let errors = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return {
    async do(action) {
      child.stdin!.write(`${action}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`${command} ended: ${errors.slice(-2000)}`);
      return JSON.parse(value) as ClientResult;
    },
    async [Symbol.asyncDispose]() {
      child.stdin!.end();
      await ended;
    },
  };
}

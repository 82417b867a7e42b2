import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** What a client saw of one deed. */
export interface Seen {
  readonly ok: boolean;
  readonly code?: number;
  readonly reason?: string;
  /** Seconds. */
  readonly retryAfter?: number;
  /** The connection broke. */
  readonly broken?: boolean;
  readonly events?: readonly string[];
  /** How a watch was left: it ended, or stood open and nothing came any more. */
  readonly end?: "ended" | "open";
  /** Milliseconds between the first event and the last. */
  readonly span?: number;
  readonly ms: number;
}

export type Deed = "write" | "create" | "list" | "watch";

/** A client in a process of its own. */
export interface Program extends AsyncDisposable {
  do(deed: Deed): Promise<Seen>;
}

export function program([command, ...args]: readonly string[], kubeconfig: string): Program {
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
    async do(deed) {
      child.stdin!.write(`${deed}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`${command} ended: ${errors.slice(-2000)}`);
      return JSON.parse(value) as Seen;
    },
    async [Symbol.asyncDispose]() {
      child.stdin!.end();
      await ended;
    },
  };
}

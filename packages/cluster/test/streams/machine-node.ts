import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect as dial } from "node:net";
import { PassThrough, type Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { ContainerRef, ContainerSession, ContainerSessionEnd, ContainerSessionOptions, NodeStreams } from "../../src/node/index.ts";
import { ApiError } from "../../src/status/index.ts";

/** A node whose only container is this machine: commands run in a folder, and the test writes the log. */
export interface MachineNode extends NodeStreams {
  /** Appends a line; the first has the time 12:00:00, each further one a second later. */
  log(line: string): void;
  /** Ends the log: the container has exited, and followers have received all of it. */
  endLog(): void;
  /** The number of clients that follow the log. */
  readonly followers: number;
  /** The requested containers, in order. */
  readonly requests: ContainerRef[];
}

const NOON = Date.UTC(2026, 2, 1, 12);

export function createMachineNode(folder: string): MachineNode {
  const lines: { readonly time: number; readonly text: string }[] = [];
  const requests: ContainerRef[] = [];
  let ended = false;
  let followers = 0;
  let change = createDeferred<void>();
  const notify = () => {
    const { resolve } = change;
    change = createDeferred<void>();
    resolve();
  };
  return {
    requests,
    get followers() {
      return followers;
    },
    log(text) {
      lines.push({ time: NOON + lines.length * 1000, text });
      notify();
    },
    endLog() {
      ended = true;
      notify();
    },
    async *logs(target, options, signal) {
      requests.push(target);
      const aborted = once(signal, "abort").catch(() => {});
      const wanted = lines.filter(({ time }) => options.since === undefined || time >= options.since);
      let left = options.limitBytes ?? Number.POSITIVE_INFINITY;
      let at = lines.length - (options.tailLines === undefined ? wanted.length : Math.min(options.tailLines, wanted.length));
      followers++;
      try {
        for (;;) {
          for (; at < lines.length && left > 0; at++) {
            const { time, text } = lines[at]!;
            const bytes = Buffer.from(`${options.timestamps ? `${new Date(time).toISOString()} ` : ""}${text}\n`).subarray(0, left);
            left -= bytes.length;
            yield bytes;
          }
          if (!options.follow || ended || left <= 0 || signal.aborted) return;
          await Promise.race([change.promise, aborted]);
        }
      } finally {
        followers--;
      }
    },
    async exec(target, command, options) {
      requests.push(target);
      return command[0] === "size" ? createSizeSession() : startCommand(command, options, folder);
    },
    async attach(target) {
      requests.push(target);
      return createEchoSession();
    },
    async connect(_target, port) {
      const socket = dial({ host: "127.0.0.1", port, allowHalfOpen: true });
      await once(socket, "connect");
      return socket;
    },
    usage: async () => ({
      node: { cpuNanoCores: 1_500_000_000, memoryBytes: 2 << 30 },
      pods: [{ namespace: "default", pod: "web", containers: { main: { cpuNanoCores: 250_000_000, memoryBytes: 64 << 20 } } }],
    }),
  };
}

async function startCommand(
  [name = "", ...args]: readonly string[],
  { stdin }: ContainerSessionOptions,
  cwd: string,
): Promise<ContainerSession> {
  const run = spawn(name, args, { cwd, stdio: [stdin ? "pipe" : "ignore", "pipe", "pipe"] });
  const failed = once(run, "error").then(([error]) => error as Error);
  const started = await Promise.race([once(run, "spawn").then(() => undefined), failed]);
  if (started !== undefined) {
    const why = `exec: ${JSON.stringify(name)}: executable file not found in $PATH`;
    const message = `error executing command in container: failed to exec in container: ${why}`;
    throw new ApiError(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
  }
  run.stdin?.on("error", () => {});
  const end = once(run, "close").then(
    ([code, signal]): ContainerSessionEnd => (code === null ? { error: String(signal) } : { code: code as number }),
  );
  return {
    write: (chunk) => new Promise((resolve) => (run.stdin?.writable ? run.stdin.write(chunk, () => resolve()) : resolve())),
    endInput: () => run.stdin?.end(),
    stdout: run.stdout as Readable,
    stderr: run.stderr as Readable,
    resize() {},
    end,
    close: () => run.kill(),
  };
}

/** A session that prints the size of its terminal when it is set, and waits for a line. */
function createSizeSession(): ContainerSession {
  const out = new PassThrough();
  const { promise: end, resolve } = createDeferred<ContainerSessionEnd>();
  let isReported = false;
  const finish = (code: number) => {
    out.end();
    resolve({ code });
  };
  return {
    async write(chunk) {
      out.write(`got ${Buffer.from(chunk).toString().trim()}\r\n`);
      finish(7);
    },
    endInput() {},
    stdout: out,
    stderr: new PassThrough().end(),
    resize({ columns, rows }) {
      if (!isReported) out.write(`size ${rows} ${columns}\r\n`);
      isReported = true;
    },
    end,
    close: () => finish(1),
  };
}

/** A session that echoes its input. */
function createEchoSession(): ContainerSession {
  const out = new PassThrough();
  const { promise: end, resolve } = createDeferred<ContainerSessionEnd>();
  const finish = () => {
    out.end();
    resolve({ code: 0 });
  };
  return {
    async write(chunk) {
      out.write(`heard ${Buffer.from(chunk).toString()}`);
    },
    endInput: finish,
    stdout: out,
    stderr: new PassThrough().end(),
    resize() {},
    end,
    close: finish,
  };
}

function createDeferred<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Waits in real time until the condition holds: other processes do not follow a virtual clock. */
export async function waitUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error("it did not come to hold within a minute");
    await pause(20);
  }
}

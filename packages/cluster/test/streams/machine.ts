import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect as dial } from "node:net";
import { PassThrough, type Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { ContainerRef, NodeStreams, Session, SessionEnd, SessionOptions } from "../../src/node/index.ts";
import { ApiError } from "../../src/status/index.ts";

/** A node whose one container is this machine: commands run here, in a folder; its log is what a test says it is. */
export interface Machine extends NodeStreams {
  /** A line more; the first at 12:00:00, each a second after the one before. */
  log(line: string): void;
  /** The container has ended: whoever follows its log has all of it. */
  endLog(): void;
  /** How often a log is being followed now. */
  readonly followers: number;
  /** What was asked for, in order. */
  readonly asked: ContainerRef[];
}

const NOON = Date.UTC(2026, 2, 1, 12);

export function machine(folder: string): Machine {
  const lines: { readonly time: number; readonly text: string }[] = [];
  const asked: ContainerRef[] = [];
  let ended = false;
  let followers = 0;
  let news = deferred<void>();
  const tell = () => {
    const { resolve } = news;
    news = deferred<void>();
    resolve();
  };
  return {
    asked,
    get followers() {
      return followers;
    },
    log(text) {
      lines.push({ time: NOON + lines.length * 1000, text });
      tell();
    },
    endLog() {
      ended = true;
      tell();
    },
    async *logs(target, options, signal) {
      asked.push(target);
      const gone = once(signal, "abort").catch(() => {});
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
          await Promise.race([news.promise, gone]);
        }
      } finally {
        followers--;
      }
    },
    async exec(target, command, options) {
      asked.push(target);
      return command[0] === "size" ? sized() : child(command, options, folder);
    },
    async attach(target) {
      asked.push(target);
      return echoing();
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

async function child([name = "", ...args]: readonly string[], { stdin }: SessionOptions, cwd: string): Promise<Session> {
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
    ([code, signal]): SessionEnd => (code === null ? { error: String(signal) } : { code: code as number }),
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

/** Says which size its terminal has, once somebody tells it, and waits for a line. */
function sized(): Session {
  const out = new PassThrough();
  const { promise: end, resolve } = deferred<SessionEnd>();
  let told = false;
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
      if (!told) out.write(`size ${rows} ${columns}\r\n`);
      told = true;
    },
    end,
    close: () => finish(1),
  };
}

/** Says what it hears, as long as somebody speaks. */
function echoing(): Session {
  const out = new PassThrough();
  const { promise: end, resolve } = deferred<SessionEnd>();
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

function deferred<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Waits until something holds; real time, as other processes live in it. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error("it did not come to hold within a minute");
    await pause(20);
  }
}

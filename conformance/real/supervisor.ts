import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("supervise.mjs", import.meta.url));

export interface Launch {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A program ended although nobody asked it to; the message carries the end of its log. */
export class ProgramEnded extends Error {
  readonly program: string;
  constructor(program: string, status: string, log: string) {
    super(`${program} ended (${status}). The end of its log:\n${log}`);
    this.name = "ProgramEnded";
    this.program = program;
  }
}

export interface Supervisor {
  start(program: Launch): void;
  /** Ends a program with SIGKILL, which is then not unasked; resolves when it is gone. */
  kill(name: string): Promise<void>;
  /** Aborts, with a ProgramEnded, when a program ends unasked. */
  readonly lost: AbortSignal;
  /** The last lines that a program logged. */
  logTail(name: string): string;
  /** Stops all programs, last started first, and removes the folder. */
  stop(): Promise<void>;
}

/**
 * Programs that end with this process, however it ends: they are children of a small process that
 * watches the pipe to us, which the operating system closes for us even on kill -9.
 */
export function supervisor(folder: string): Supervisor {
  const child = spawn(process.execPath, [script, folder], {
    stdio: ["pipe", "pipe", "inherit"],
    // A session of its own: Ctrl-C and `kill -- -<group>` reach us and not the programs.
    detached: true,
    // A loader or inspector meant for us is nothing for it.
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const exited = once(child, "exit");
  const lost = new AbortController();
  const gone = new EventEmitter();
  let stopping = false;
  const logFile = (name: string) => join(folder, `${name}.log`);
  const logTail = (name: string) => tail(logFile(name));

  // Writing to a supervisor that has died is reported by its exit.
  child.stdin.on("error", () => {});
  createInterface(child.stdout).on("line", (line) => {
    const { name, status, killed } = JSON.parse(line) as { name: string; status: string; killed: boolean };
    if (killed) gone.emit(name);
    else lost.abort(new ProgramEnded(name, status, logTail(name)));
  });
  exited.then(
    ([code, signal]) => {
      if (stopping) return;
      killGroup(child.pid);
      rmSync(folder, { recursive: true, force: true });
      lost.abort(new Error(`the supervisor of ${folder} was ended (${signal ?? code})`));
    },
    (error) => lost.abort(error),
  );

  return {
    start: (program) => void child.stdin.write(`${JSON.stringify({ ...program, log: logFile(program.name) })}\n`),
    kill: async (name) => {
      const ended = once(gone, name, { signal: lost.signal });
      child.stdin.write(`${JSON.stringify({ kill: name })}\n`);
      await ended;
    },
    lost: lost.signal,
    logTail,
    stop: async () => {
      stopping = true;
      child.stdin.end();
      await exited;
    },
  };
}

/** For a supervisor that was killed -9 itself; else its group is empty by now. */
function killGroup(group: number | undefined): void {
  try {
    if (group !== undefined) process.kill(-group, "SIGKILL");
  } catch {
    // No such group: nothing was left behind.
  }
}

function tail(file: string): string {
  try {
    return readFileSync(file, "utf8").trimEnd().split("\n").slice(-15).join("\n");
  } catch {
    return "(no log)";
  }
}

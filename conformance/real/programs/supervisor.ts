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

/** A program exited without a request to stop; the message contains the end of its log. */
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
  /** Kills a program with SIGKILL, which does not abort `lost`; resolves when it has exited. */
  kill(name: string): Promise<void>;
  /** Aborts with a ProgramEnded when a program exits without a request to stop. */
  readonly lost: AbortSignal;
  /** Returns the last lines that a program logged. */
  logTail(name: string): string;
  /** Stops all programs, last started first, and removes the folder. */
  stop(): Promise<void>;
}

/**
 * Runs programs that end with this process, however it ends: they are children of a small process that
 * watches the pipe to us, which the operating system closes for us even on kill -9.
 */
export function startSupervisor(folder: string): Supervisor {
  const child = spawn(process.execPath, [script, folder], {
    stdio: ["pipe", "pipe", "inherit"],
    // A session of its own: Ctrl-C and `kill -- -<group>` reach this process and not the programs.
    detached: true,
    // A loader or inspector of this process must not apply to it.
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const exited = once(child, "exit");
  const lost = new AbortController();
  const exits = new EventEmitter();
  let stopping = false;
  const logFile = (name: string) => join(folder, `${name}.log`);
  const logTail = (name: string) => tail(logFile(name));

  // A failed write to a dead supervisor is reported by its exit event.
  child.stdin.on("error", () => {});
  createInterface(child.stdout).on("line", (line) => {
    const { name, status, killed } = JSON.parse(line) as { name: string; status: string; killed: boolean };
    if (killed) exits.emit(name);
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
      const ended = once(exits, name, { signal: lost.signal });
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

/** For a supervisor that was itself killed with SIGKILL; otherwise its group is empty by now. */
function killGroup(group: number | undefined): void {
  try {
    if (group !== undefined) process.kill(-group, "SIGKILL");
  } catch {
    // No such group: all processes have exited.
  }
}

function tail(file: string): string {
  try {
    return readFileSync(file, "utf8").trimEnd().split("\n").slice(-15).join("\n");
  } catch {
    return "(no log)";
  }
}

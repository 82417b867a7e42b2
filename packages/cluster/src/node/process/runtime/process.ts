import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { Spawn } from "./driver.ts";
import { endMarked, type Guard, MARK } from "./guard.ts";
import type { Outputs } from "./outputs.ts";

export interface Exit {
  /** As a container runtime gives it: 128 and the signal's number for a process that was ended by one. */
  readonly code: number;
}

/** A process of the node, with all its children in a group of its own. */
export interface Process {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exit: Promise<Exit>;
  /** To the process alone, as a runtime stops a container. */
  signal(name: NodeJS.Signals): void;
  /** To it and its children, as far as they have not left its group. */
  signalAll(name: NodeJS.Signals): void;
  /** Ends every child, also those that have left for a session of their own. */
  endChildren(): Promise<void>;
}

let count = 0;
/** How long the outputs of a process may stay open after its end. */
const LAST_WORDS = 2_000;

/** Starts a process that ends with the node. Throws where there is no such program, or it may not be run. */
export async function startProcess(
  { command, args, env, cwd, user, prepares = false }: Spawn,
  guard: Guard,
  named?: Outputs | undefined,
): Promise<Process> {
  const mark = `${guard.mark}.${++count}`;
  const child: ChildProcess = spawn(command, args, {
    cwd,
    env: { ...env, [MARK]: mark },
    detached: true,
    stdio: ["pipe", ...(named?.fds ?? (["pipe", "pipe"] as const)), ...(prepares ? (["pipe"] as const) : [])],
    ...(user ?? {}),
  });
  named?.given();
  // Heard from the first moment on: one that is done at once may end before its surroundings have said that they are in place.
  const ended = new Promise<Exit>((resolve) => {
    child.once("exit", (code, signal) => {
      const number = signal === null ? undefined : constants.signals[signal];
      resolve({ code: number === undefined ? (code ?? 0) : 128 + number });
    });
  });
  const [stdout, stderr] = named === undefined ? [child.stdout!, child.stderr!] : [named.stdout, named.stderr];
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", () => resolve());
    child.once("error", reject);
  });
  const pid = child.pid!;
  guard.add(pid);
  child.stdin!.on("error", () => {});
  const send = (target: number, name: NodeJS.Signals) => {
    try {
      process.kill(target, name);
    } catch {
      // It is gone already.
    }
  };
  const exit = ended.then((how) => {
    // Children that stayed behind go with it, as in a container whose first process ended.
    send(-pid, "SIGKILL");
    guard.remove(pid);
    for (const output of [stdout, stderr]) closeSoon(output);
    return how;
  });
  if (prepares) await prepared(child, stderr);
  return {
    pid,
    stdin: child.stdin!,
    stdout,
    stderr,
    exit,
    signal: (name) => send(pid, name),
    signalAll: (name) => send(-pid, name),
    endChildren: async () => void (await endMarked(mark)),
  };
}

/** Waits until the surroundings of a process are in place; throws with what it said where they could not be made. */
async function prepared(child: ChildProcess, stderr: Readable): Promise<void> {
  const signal = child.stdio[3] as Readable;
  let said = "";
  for await (const chunk of signal) said += String(chunk);
  if (said !== "") return;
  let why = "";
  for await (const chunk of stderr) why += String(chunk);
  throw new Error(why.trim() || "the container's surroundings could not be made");
}

/** Whoever still holds an output of a process that has ended does not hold up its node. */
function closeSoon(output: Readable): void {
  const timer = setTimeout(() => output.destroy(), LAST_WORDS);
  output.once("close", () => clearTimeout(timer));
}

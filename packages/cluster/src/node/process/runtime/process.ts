import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { SpawnOptions } from "./isolation-driver.ts";
import type { OutputPipes } from "./output-pipes.ts";
import { killMarkedProcesses, MARK_VARIABLE, type ProcessGuard } from "./process-guard.ts";

export interface ProcessExit {
  /** As a container runtime reports it: 128 plus the signal number for a killed process. */
  readonly code: number;
}

/** A process of the node, with its children in a process group. */
export interface NodeProcess {
  /** The value of its mark variable, which its children inherit. */
  readonly mark: string;
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exit: Promise<ProcessExit>;
  /** Sends a signal to the process only, as a runtime does to stop a container. */
  signal(name: NodeJS.Signals): void;
  /** Sends a signal to the process group. */
  signalAll(name: NodeJS.Signals): void;
  /** Kills all children, including those in other sessions, and the commands that were started in its container. */
  killChildren(): Promise<void>;
}

let count = 0;
/** How long the outputs may stay open after the process has exited. Milliseconds. */
const OUTPUT_CLOSE_DELAY = 2_000;

export interface StartProcessOptions {
  /** The named pipes for its output. Default: anonymous ones. */
  readonly pipes?: OutputPipes | undefined;
  /** The first process of the container in which this one runs: `killChildren` of that one kills it. */
  readonly container?: NodeProcess | undefined;
}

/** Starts a process that ends with the node. Throws if the program does not exist or may not be executed. */
export async function startProcess(
  { command, args, env, cwd, user, signalsReady = false }: SpawnOptions,
  guard: ProcessGuard,
  { pipes, container }: StartProcessOptions = {},
): Promise<NodeProcess> {
  const mark = `${container?.mark ?? guard.mark}.${++count}`;
  const child: ChildProcess = spawn(command, args, {
    cwd,
    env: { ...env, [MARK_VARIABLE]: mark },
    detached: true,
    stdio: ["pipe", ...(pipes?.fds ?? (["pipe", "pipe"] as const)), ...(signalsReady ? (["pipe"] as const) : [])],
    ...(user ?? {}),
  });
  pipes?.closeWriters();
  // Subscribed at once: a short process may exit before it reports that its mounts are ready.
  const ended = new Promise<ProcessExit>((resolve) => {
    child.once("exit", (code, signal) => {
      const number = signal === null ? undefined : constants.signals[signal];
      resolve({ code: number === undefined ? (code ?? 0) : 128 + number });
    });
  });
  const [stdout, stderr] = pipes === undefined ? [child.stdout!, child.stderr!] : [pipes.stdout, pipes.stderr];
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
      // It has already exited.
    }
  };
  const exit = ended.then((exitStatus) => {
    // The remaining children are killed, as in a container whose first process has exited.
    send(-pid, "SIGKILL");
    guard.remove(pid);
    for (const output of [stdout, stderr]) closeAfterDelay(output);
    return exitStatus;
  });
  if (signalsReady) await waitUntilReady(child, stderr);
  return {
    mark,
    pid,
    stdin: child.stdin!,
    stdout,
    stderr,
    exit,
    signal: (name) => send(pid, name),
    signalAll: (name) => send(-pid, name),
    killChildren: async () => void (await killMarkedProcesses(mark)),
  };
}

/** Resolves when the process reports that its mounts are ready; throws with its stderr if they failed. */
async function waitUntilReady(child: ChildProcess, stderr: Readable): Promise<void> {
  const signal = child.stdio[3] as Readable;
  let received = "";
  for await (const chunk of signal) received += String(chunk);
  if (received !== "") return;
  let errorText = "";
  for await (const chunk of stderr) errorText += String(chunk);
  throw new Error(errorText.trim() || "the mounts of the container could not be set up");
}

/** A child that still holds an output of an exited process must not block the node. */
function closeAfterDelay(output: Readable): void {
  const timer = setTimeout(() => output.destroy(), OUTPUT_CLOSE_DELAY);
  output.once("close", () => clearTimeout(timer));
}

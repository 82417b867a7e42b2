import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";
import type { FlightRecorder } from "pintle";
import { NODE_FLAGS } from "../project/index.ts";

export interface OperatorProcessOptions {
  readonly file: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Flags for Node, such as "--inspect". */
  readonly flags: readonly string[];
  /** Returns the flags for the operator; called at every start. */
  args(): readonly string[];
  onLine(text: string): void;
  /** Receives the facts that the operator's flight recorder writes, and passes it its hash key. Default: nothing is recorded. */
  readonly recorder?: FlightRecorder | undefined;
  /** Called when the process exits without having been stopped. */
  onExit(why: string): void;
  /** Called when the process was killed because it did not stop within so many milliseconds. */
  onKill(limit: number): void;
}

/** Makes the child exit when this process ends for any reason: the operating system closes the pipe at descriptor 3. */
const EXIT_WITH_PARENT = `data:text/javascript,${encodeURIComponent(
  'import { Socket } from "node:net"; new Socket({ fd: 3, readable: true, writable: false }).on("close", () => process.exit(1)).resume().unref();',
)}`;

/** How long a restart waits for running reconciliations: the author waits for the new build. */
const RESTART_LIMIT_MS = 5_000;
/** More than the default grace period of an operator, which says itself that a second Ctrl-C ends it at once. */
const STOP_LIMIT_MS = 40_000;

/** The descriptor of the pipe for facts, and for the key of the hashes in them. */
const RECORDER_FD = 4;

/** The operator as a child process that can be restarted. At most one process runs at a time. */
export class OperatorProcess implements AsyncDisposable {
  readonly #options: OperatorProcessOptions;
  #child: ChildProcess | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: OperatorProcessOptions) {
    this.#options = options;
  }

  /** Stops the running process, then starts the current bundle. */
  restart(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#end(RESTART_LIMIT_MS);
      this.#start();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#inTurn(() => this.#end(STOP_LIMIT_MS));
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work);
    return this.#turn;
  }

  #start(): void {
    const { file, cwd, env, flags, args: extraArgs, onLine, recorder, onExit } = this.#options;
    const args = [
      "--enable-source-maps",
      ...NODE_FLAGS,
      "--import",
      EXIT_WITH_PARENT,
      ...flags,
      file,
      "--health-probe-bind-address=0",
      "--metrics-bind-address=0",
      ...extraArgs(),
    ];
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...(env as NodeJS.ProcessEnv), ...(recorder === undefined ? {} : { PINTLE_RECORDER_FD: String(RECORDER_FD) }) },
      stdio: ["ignore", "pipe", "pipe", "pipe", recorder === undefined ? "ignore" : "pipe"],
      // Ctrl-C of a terminal signals the whole process group. The operator would get it in addition to the SIGTERM below, and exit at once.
      detached: true,
    });
    for (const stream of [child.stdout!, child.stderr!]) createInterface({ input: stream }).on("line", onLine);
    if (recorder !== undefined) connectRecorder(child.stdio[RECORDER_FD] as Duplex, recorder);
    child.once("exit", (code, signal) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      onExit(signal === null ? `exit code ${code}` : signal);
    });
    this.#child = child;
  }

  /** Sends SIGTERM for a graceful shutdown and SIGKILL after the limit. */
  async #end(limit: number): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    const killTimer = setTimeout(() => {
      this.#options.onKill(limit);
      child.kill("SIGKILL");
    }, limit);
    await exit;
    clearTimeout(killTimer);
  }
}

/** Sends the hash key, so that equal secrets look equal in the facts of both processes, and adds the facts that arrive. */
function connectRecorder(pipe: Duplex, recorder: FlightRecorder): void {
  // A process that exits before it has read the key resets the pipe, which the line reader reports too; `exit` tells of its end.
  pipe.on("error", () => pipe.destroy());
  pipe.write(recorder.redactor.copyKey());
  createInterface({ input: pipe })
    .on("error", () => {})
    .on("line", recorder.append);
}

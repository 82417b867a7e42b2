import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { NODE_FLAGS } from "../project/index.ts";

export interface ProcessOptions {
  readonly file: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** "--inspect" and the like. */
  readonly flags: readonly string[];
  /** What the operator itself is told, asked anew at every start. */
  args(): readonly string[];
  line(text: string): void;
  /** It ended by itself. */
  ended(why: string): void;
}

/** Ends the process when we end, however that happens: the system closes our side of the pipe. */
const TETHER = `data:text/javascript,${encodeURIComponent(
  'import { Socket } from "node:net"; new Socket({ fd: 3, readable: true, writable: false }).on("close", () => process.exit(1)).resume().unref();',
)}`;

/** The operator as a process that can be started again. Never two at the same time. */
export class OperatorProcess implements AsyncDisposable {
  readonly #options: ProcessOptions;
  #child: ChildProcess | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  /** Ends what runs, then starts what the file holds now. */
  restart(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#end();
      this.#start();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#inTurn(() => this.#end());
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work);
    return this.#turn;
  }

  #start(): void {
    const { file, cwd, env, flags, args: more, line, ended } = this.#options;
    const args = [
      "--enable-source-maps",
      ...NODE_FLAGS,
      "--import",
      TETHER,
      ...flags,
      file,
      "--health-probe-bind-address=0",
      "--metrics-bind-address=0",
      ...more(),
    ];
    const child = spawn(process.execPath, args, { cwd, env: env as NodeJS.ProcessEnv, stdio: ["ignore", "pipe", "pipe", "pipe"] });
    for (const stream of [child.stdout!, child.stderr!]) createInterface({ input: stream }).on("line", line);
    child.once("exit", (code, signal) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      ended(signal === null ? `exit code ${code}` : signal);
    });
    this.#child = child;
  }

  /** First kindly, so that what it holds is let go; then not. */
  async #end(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    const impatient = setTimeout(() => child.kill("SIGKILL"), 5_000);
    await exit;
    clearTimeout(impatient);
  }
}

import type { Clock } from "pintle/internal/clock";

/** The standard streams and the clock of a command. */
export interface CommandIo {
  readonly input: AsyncIterable<Uint8Array>;
  writeStdout(text: string | Uint8Array): void;
  writeStderr(text: string): void;
  readonly clock: Clock;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

type CommandFunction = (args: readonly string[], io: CommandIo) => Promise<number>;

const COMMANDS: Readonly<Record<string, CommandFunction>> = {
  true: async () => 0,
  false: async () => 1,
  async echo(args, { writeStdout }) {
    writeStdout(`${args.join(" ")}\n`);
    return 0;
  },
  async cat(_, { input, writeStdout }) {
    for await (const chunk of input) writeStdout(chunk);
    return 0;
  },
  async sleep([seconds], { clock, signal }) {
    await clock.sleep(Number(seconds) * 1000, signal);
    return 0;
  },
  /** A minimal shell: commands separated by semicolons or newlines, without quoting, and `exit`. */
  async sh([flag, script = ""], io) {
    if (flag !== "-c") return reportNotFound(`sh ${flag ?? ""}`.trim(), io);
    let code = 0;
    for (const line of script.split(/[;\n]/)) {
      const [name, ...args] = line.trim().split(/\s+/);
      if (name === "exit") return args[0] === undefined ? code : Number(args[0]) & 255;
      if (name) code = await runCommand([name, ...args], io);
    }
    return code;
  },
};

/** Runs one of the commands that every simulated container has; others fail as in a container runtime. */
export function runCommand([name = "", ...args]: readonly string[], io: CommandIo): Promise<number> {
  const program = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return program === undefined ? reportNotFound(name, io) : program(args, io);
}

async function reportNotFound(name: string, { writeStderr }: CommandIo): Promise<number> {
  const message = `exec: ${JSON.stringify(name)}: executable file not found in $PATH`;
  writeStderr(`OCI runtime exec failed: exec failed: unable to start container process: ${message}: unknown\n`);
  return 127;
}

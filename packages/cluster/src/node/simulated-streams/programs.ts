import type { Clock } from "pintle/queue";

/** What a program has to work with. */
export interface Surroundings {
  readonly input: AsyncIterable<Uint8Array>;
  out(text: string | Uint8Array): void;
  err(text: string): void;
  readonly clock: Clock;
  /** Aborts when nobody is interested any more. */
  readonly signal: AbortSignal;
}

type Program = (args: readonly string[], around: Surroundings) => Promise<number>;

const PROGRAMS: Readonly<Record<string, Program>> = {
  true: async () => 0,
  false: async () => 1,
  async echo(args, { out }) {
    out(`${args.join(" ")}\n`);
    return 0;
  },
  async cat(_, { input, out }) {
    for await (const chunk of input) out(chunk);
    return 0;
  },
  async sleep([seconds], { clock, signal }) {
    await clock.sleep(Number(seconds) * 1000, signal);
    return 0;
  },
  /** Of a shell there is no more than commands after each other, without quotes, and `exit`. */
  async sh([flag, script = ""], around) {
    if (flag !== "-c") return missing(`sh ${flag ?? ""}`.trim(), around);
    let code = 0;
    for (const line of script.split(/[;\n]/)) {
      const [name, ...args] = line.trim().split(/\s+/);
      if (name === "exit") return args[0] === undefined ? code : Number(args[0]) & 255;
      if (name) code = await run([name, ...args], around);
    }
    return code;
  },
};

/** The few commands that every simulated container has; others are not found, as a runtime says it. */
export function run([name = "", ...args]: readonly string[], around: Surroundings): Promise<number> {
  const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  return program === undefined ? missing(name, around) : program(args, around);
}

async function missing(name: string, { err }: Surroundings): Promise<number> {
  const why = `exec: ${JSON.stringify(name)}: executable file not found in $PATH`;
  err(`OCI runtime exec failed: exec failed: unable to start container process: ${why}: unknown\n`);
  return 127;
}

import { type ParseArgsConfig, parseArgs } from "node:util";
import { closest } from "./closest.ts";

/** Where a command speaks. Colours and live redraws only when `tty`. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  readonly tty: boolean;
  /** Single keys as they are pressed, where there is a terminal; returns how to stop listening. */
  readonly keys?: ((pressed: (key: string) => void) => () => void) | undefined;
  /** Only where somebody is there to answer. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

export interface Command {
  /** As typed: "cluster up". */
  readonly name: string;
  readonly summary: string;
  /** What follows the name: "<folder> [--domain D]". */
  readonly usage: string;
  readonly options: NonNullable<ParseArgsConfig["options"]>;
  /** One line per option, in the order shown. */
  readonly about: Readonly<Record<string, string>>;
  readonly examples: readonly string[];
  /** How many words it takes beside its options. Default: none. */
  readonly words?: number | undefined;
  /** May give an exit code: of a command that did its work and has an answer to give, as `diff` does. Anything else is 0. */
  run(args: Arguments, io: Io): Promise<unknown>;
}
export interface Arguments {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
}

/** Why a command's signal has fired. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  /** Ctrl-C, where there is a terminal: every process that the command has started there has heard it, too. */
  readonly byTerminal: boolean;
  constructor(byTerminal: boolean) {
    super("interrupted");
    this.byTerminal = byTerminal;
  }
}

/** The user can do something about it: one sentence, no stack. Exit code 1; wrong usage is 2. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: number;
  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The words of a command line, checked against what the command takes. */
export function parse(command: Command, words: readonly string[]): Arguments {
  const wrong = (what: string) => new CommandError(`pintle ${command.name}: ${what}. See: pintle ${command.name} --help`, 2);
  let parsed: Arguments;
  try {
    const { values, positionals } = parseArgs({ args: [...words], options: command.options, allowPositionals: true, strict: true });
    parsed = { values: values as Arguments["values"], positionals };
  } catch (error) {
    throw wrong(inOurWords((error as Error).message, command));
  }
  const extra = parsed.positionals[command.words ?? 0];
  if (extra !== undefined) throw wrong(`"${extra}" is one word too many`);
  return parsed;
}

/** What Node says of an option, so that it helps. */
function inOurWords(message: string, { options }: Command): string {
  const [, option = ""] = /'(?:-\w, )?(--?[\w-]+)/.exec(message) ?? [];
  if (message.startsWith("Unknown option")) {
    const meant = closest(option.replace(/^-+/, ""), Object.keys(options));
    return `there is no option ${option}${meant === undefined ? "" : `; --${meant} is one`}`;
  }
  if (/argument missing|ambiguous/.test(message)) return `${option} needs a value`;
  if (message.includes("does not take an argument")) return `${option} takes no value`;
  return message.split(". ")[0]!;
}

export function helpOf(command: Command): string {
  const options = Object.entries(command.about).map(([name, about]) => {
    const option = command.options[name];
    const takes = option?.type === "string" ? ` ${name.toUpperCase()}` : "";
    return [`${option?.short === undefined ? "" : `-${option.short}, `}--${name}${takes}`, about] as const;
  });
  return [
    command.summary,
    "",
    `Usage: pintle ${command.name} ${command.usage}`.trimEnd(),
    ...(options.length > 0 ? ["", "Options:", ...columns(options)] : []),
    "",
    "Examples:",
    ...command.examples.map((e) => `  ${e}`),
    "",
  ].join("\n");
}

export function overview(commands: readonly Command[]): string {
  return [
    "pintle: Kubernetes operators in TypeScript.",
    "",
    "Commands:",
    ...columns(commands.map((c) => [c.name, c.summary] as const)),
    "",
    "pintle <command> --help tells more, with examples; --debug adds a stack trace to an error.",
    "Exit codes: 0 done, 1 failed (or: there are differences), 2 wrong usage.",
    "",
  ].join("\n");
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

import { type ParseArgsConfig, parseArgs } from "node:util";
import { findClosestMatch } from "./closest-match.ts";
import { CommandError } from "./errors.ts";

/** Terminal input and output of a command. Colors and redrawn lines only if `tty`. */
export interface Io {
  /** Writes to stdout. */
  out(text: string): void;
  /** Writes to stderr. */
  err(text: string): void;
  /** Whether stdout is a terminal. */
  readonly tty: boolean;
  /** Reports single key presses on a terminal; returns a function that stops listening. */
  readonly onKeyPress?: ((pressed: (key: string) => void) => () => void) | undefined;
  /** Asks the user a question; undefined without an interactive terminal. */
  readonly prompt?: ((question: string) => Promise<string>) | undefined;
  /** The working directory of the command. */
  readonly cwd: string;
  /** Aborted when the command should stop. */
  readonly signal: AbortSignal;
}

/** A command of `pintle` as a value: its name, its options and its implementation. */
export interface Command {
  /** The words that select the command: "cluster up". */
  readonly name: string;
  readonly summary: string;
  /** Arguments in the usage line, after the name: "<folder> [--domain DOMAIN]". */
  readonly usage: string;
  readonly options: NonNullable<ParseArgsConfig["options"]>;
  /** One line per option, in the order of the help text. */
  readonly optionDescriptions: Readonly<Record<string, string>>;
  readonly examples: readonly string[];
  /** Maximum number of positional arguments. Default: 0. */
  readonly maxPositionals?: number | undefined;
  /** Executes the command. A returned number is the exit code (as of `diff`); any other value means 0. */
  run(args: ParsedArguments, io: Io): Promise<unknown>;
}
/** The parsed options and positional arguments of a command line. */
export interface ParsedArguments {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
}

/** Parses the arguments of a command. Throws a usage error for unknown options and extra arguments. */
export function parseCommandArguments(command: Command, args: readonly string[]): ParsedArguments {
  const usageError = (what: string) =>
    new CommandError("PINTLE7002", `${what}${what.endsWith("?") ? "" : "."} See 'pintle ${command.name} --help'`, 2);
  let parsed: ParsedArguments;
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: command.options, allowPositionals: true, strict: true });
    parsed = { values: values as ParsedArguments["values"], positionals };
  } catch (error) {
    throw usageError(describeParseError((error as Error).message, command));
  }
  const extra = parsed.positionals[command.maxPositionals ?? 0];
  if (extra !== undefined) throw usageError(`unexpected argument "${extra}"`);
  return parsed;
}

/** Translates an error of Node's `parseArgs`. */
function describeParseError(message: string, { options }: Command): string {
  const [, option = ""] = /'(?:-\w, )?(--?[\w-]+)/.exec(message) ?? [];
  if (message.startsWith("Unknown option")) {
    const meant = findClosestMatch(option.replace(/^-+/, ""), Object.keys(options));
    return `unknown flag: ${option}${meant === undefined ? "" : `. Did you mean --${meant}?`}`;
  }
  if (/argument missing|ambiguous/.test(message)) return `flag needs an argument: ${option}`;
  if (message.includes("does not take an argument")) return `flag takes no argument: ${option}`;
  return message.split(". ")[0]!;
}

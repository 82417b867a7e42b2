import {
  type Command,
  CommandError,
  findClosestMatch,
  formatError,
  formatHelp,
  formatOverview,
  Interrupted,
  type Io,
  parseCommandArguments,
} from "./command/index.ts";
import { COMMANDS } from "./commands/index.ts";
import { translateLegacyCommand } from "./legacy-commands/index.ts";

/**
 * Executes one command line and returns its exit code. Never throws: errors are written to `io.err`.
 *
 * @example
 * ```ts
 * import { main, processIo } from "@pintle/cli";
 *
 * process.exitCode = await main(["generate", "--check"], processIo());
 * ```
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const args = argv.filter((word) => word !== "--debug");
  try {
    const help = findHelp(args);
    if (help !== undefined) {
      io.out(help);
      return 0;
    }
    if (args[0] === "--version") return await main(["version"], io);
    const [command, rest] = findCommand(translateLegacy(args, io));
    if (rest.includes("--help") || rest.includes("-h")) io.out(formatHelp(command));
    else {
      const exitCode = await command.run(parseCommandArguments(command, rest), io);
      if (typeof exitCode === "number") return exitCode;
    }
    return 0;
  } catch (error) {
    const interruption: unknown = io.signal.aborted ? io.signal.reason : undefined;
    if (interruption instanceof Interrupted && !(error instanceof CommandError)) {
      if (interruption.signal !== "SIGPIPE") io.err("interrupted\n");
      return interruption.exitCode;
    }
    io.err(`${formatError(error)}\n`);
    if (args.length < argv.length && error instanceof Error) io.err(`${error.stack}\n`);
    return error instanceof CommandError ? error.exitCode : 1;
  }
}

/**
 * Returns the help text for `pintle`, `pintle help`, `pintle help create` and `pintle create --help`: the overview, one command, or a group
 * of commands.
 */
function findHelp(args: readonly string[]): string | undefined {
  const [first, ...rest] = args;
  if (first === undefined || first === "--help" || first === "-h") return formatOverview(COMMANDS);
  const isHelpRequest = first === "help" || (args.length === 2 && (rest[0] === "--help" || rest[0] === "-h"));
  const name = first === "help" ? rest.join(" ") : first;
  if (!isHelpRequest) return undefined;
  if (name === "") return formatOverview(COMMANDS);
  const command = COMMANDS.find((each) => each.name === name);
  const group = COMMANDS.filter((each) => each.name.startsWith(`${name} `));
  return command === undefined ? (group.length === 0 ? undefined : formatOverview(group)) : formatHelp(command);
}

/** Translates kubebuilder and operator-sdk commands and prints the equivalent `pintle` command. */
function translateLegacy(args: readonly string[], io: Io): readonly string[] {
  const translated = translateLegacyCommand(args, process.env);
  if (translated === undefined) return args;
  const [verb = "", ...rest] = translated.args;
  io.err(`this command is now: pintle ${[verb, ...rest].map((word) => (/[\s"']/.test(word) ? JSON.stringify(word) : word)).join(" ")}\n`);
  for (const note of translated.notes) io.err(`  ${note}\n`);
  return translated.args;
}

/** Finds the command; names may have two words ("cluster up"). */
function findCommand(args: readonly string[]): [Command, readonly string[]] {
  for (const command of COMMANDS) {
    const name = command.name.split(" ");
    if (name.every((word, i) => args[i] === word)) return [command, args.slice(name.length)];
  }
  const subcommands = COMMANDS.filter((c) => c.name.startsWith(`${args[0]} `)).map((c) => `pintle ${c.name}`);
  const suggestion = findClosestMatch(args[0] ?? "", [...new Set(COMMANDS.map((c) => c.name.split(" ")[0]!))]);
  const hint =
    subcommands.length > 0
      ? `Did you mean: ${subcommands.join(", ")}?`
      : suggestion === undefined
        ? "See 'pintle --help' for a list of commands"
        : `Did you mean: pintle ${[suggestion, ...args.slice(1)].join(" ")}?`;
  throw new CommandError("PINTLE7001", `unknown command "${args.join(" ")}". ${hint}`, 2);
}

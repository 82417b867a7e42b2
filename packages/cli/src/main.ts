import { type Command, CommandError, helpOf, type Io, overview, parse } from "./command.ts";
import { COMMANDS } from "./commands/index.ts";

/** Runs one command line and returns its exit code; never throws. */
export async function main(words: readonly string[], io: Io): Promise<number> {
  try {
    if (words.length === 0 || words[0] === "--help" || words[0] === "-h" || words[0] === "help") {
      io.out(overview(COMMANDS));
      return 0;
    }
    if (words[0] === "--version") return await main(["version"], io);
    const [command, rest] = find(words);
    if (rest.includes("--help") || rest.includes("-h")) io.out(helpOf(command));
    else await command.run(parse(command, rest), io);
    return 0;
  } catch (error) {
    io.err(`${error instanceof CommandError ? error.message : `pintle: ${error instanceof Error ? error.message : String(error)}`}\n`);
    return error instanceof CommandError ? error.exitCode : 1;
  }
}

/** Names may be two words ("cluster up"). */
function find(words: readonly string[]): [Command, readonly string[]] {
  for (const command of COMMANDS) {
    const name = command.name.split(" ");
    if (name.every((word, i) => words[i] === word)) return [command, words.slice(name.length)];
  }
  const close = COMMANDS.filter((c) => c.name.startsWith(`${words[0]} `)).map((c) => `pintle ${c.name}`);
  const hint = close.length > 0 ? `Did you mean: ${close.join(", ")}?` : "pintle --help lists them.";
  throw new CommandError(`pintle: there is no command "${words.join(" ")}". ${hint}`, 2);
}

import { type Command, CommandError, helpOf, type Io, overview, parse } from "./command.ts";
import { COMMANDS } from "./commands/index.ts";
import { modern } from "./legacy/index.ts";

/** Runs one command line and returns its exit code; never throws. */
export async function main(line: readonly string[], io: Io): Promise<number> {
  const words = line.filter((word) => word !== "--debug");
  try {
    if (words.length === 0 || words[0] === "--help" || words[0] === "-h" || words[0] === "help") {
      io.out(overview(COMMANDS));
      return 0;
    }
    if (words[0] === "--version") return await main(["version"], io);
    const [command, rest] = find(inWordsOfToday(words, io));
    if (rest.includes("--help") || rest.includes("-h")) io.out(helpOf(command));
    else {
      const answer = await command.run(parse(command, rest), io);
      if (typeof answer === "number") return answer;
    }
    return 0;
  } catch (error) {
    io.err(`${error instanceof CommandError ? error.message : `pintle: ${error instanceof Error ? error.message : String(error)}`}\n`);
    if (words.length < line.length && error instanceof Error) io.err(`${error.stack}\n`);
    return error instanceof CommandError ? error.exitCode : 1;
  }
}

/** Old words work, and name their modern form. */
function inWordsOfToday(words: readonly string[], io: Io): readonly string[] {
  const translated = modern(words, process.env);
  if (translated === undefined) return words;
  const [verb = "", ...rest] = translated.words;
  io.err(`this is now: pintle ${[verb, ...rest].map((word) => (/[\s"']/.test(word) ? JSON.stringify(word) : word)).join(" ")}\n`);
  for (const note of translated.notes) io.err(`  ${note}\n`);
  return translated.words;
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

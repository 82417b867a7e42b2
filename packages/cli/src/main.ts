import { closest } from "./closest.ts";
import { type Command, CommandError, helpOf, type Io, overview, parse } from "./command.ts";
import { COMMANDS } from "./commands/index.ts";
import { modern } from "./legacy/index.ts";

/** Runs one command line and returns its exit code; never throws. */
export async function main(line: readonly string[], io: Io): Promise<number> {
  const words = line.filter((word) => word !== "--debug");
  try {
    const about = helpFor(words);
    if (about !== undefined) {
      io.out(about);
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

/** `pintle`, `pintle help`, `pintle help create`, `pintle create --help`: of everything, of one command, of those that begin alike. */
function helpFor(words: readonly string[]): string | undefined {
  const [first, ...rest] = words;
  if (first === undefined || first === "--help" || first === "-h") return overview(COMMANDS);
  const isAsked = first === "help" || (words.length === 2 && (rest[0] === "--help" || rest[0] === "-h"));
  const name = first === "help" ? rest.join(" ") : first;
  if (!isAsked) return undefined;
  if (name === "") return overview(COMMANDS);
  const command = COMMANDS.find((each) => each.name === name);
  const group = COMMANDS.filter((each) => each.name.startsWith(`${name} `));
  return command === undefined ? (group.length === 0 ? undefined : overview(group)) : helpOf(command);
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
  const meant = closest(words[0] ?? "", [...new Set(COMMANDS.map((c) => c.name.split(" ")[0]!))]);
  const hint =
    close.length > 0
      ? `Did you mean: ${close.join(", ")}?`
      : meant === undefined
        ? "pintle --help lists them."
        : `Did you mean: pintle ${[meant, ...words.slice(1)].join(" ")}?`;
  throw new CommandError(`pintle: there is no command "${words.join(" ")}". ${hint}`, 2);
}

import { validateFlagValue } from "./flag-values.ts";

/** An invalid command line; the message is what kube-apiserver prints after "Error: ". */
export class FlagError extends Error {
  override readonly name = "FlagError";
}

/** Name, type and default of each flag. A flag of type "bool" needs no value. */
export type FlagTable = readonly (readonly [name: string, type: string, fallback?: string])[];

export interface ParsedFlags {
  /** The given values in order; lists and repeated flags have several. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly help: boolean;
  /** Returns the last given value, otherwise the default, otherwise "". */
  text(name: string): string;
  /** Returns all values of a list, split at commas, otherwise the default. */
  list(name: string): readonly string[];
  flag(name: string): boolean;
}

const SHORT_FLAGS: Readonly<Record<string, string>> = { v: "v", h: "help" };

/** Parses a command line as kube-apiserver does: `--name value`, `--name=value`, `-v 3`. Throws FlagError at the first error. */
export function parseFlags(args: readonly string[], table: FlagTable): ParsedFlags {
  const definitions = new Map(table.map(([name, type, fallback]) => [name, { type, fallback }] as const));
  definitions.set("help", { type: "bool", fallback: undefined });
  const given = new Map<string, string[]>();
  const rest: string[] = [];
  const setFlag = (name: string, label: string, value: string) => {
    const type = definitions.get(name)?.type as string;
    const problem = validateFlagValue(type, value);
    if (problem !== undefined) throw new FlagError(`invalid argument ${JSON.stringify(value)} for "${label}" flag: ${problem}`);
    given.set(name, [...(given.get(name) ?? []), value]);
  };

  for (let at = 0; at < args.length; at++) {
    const word = args[at] as string;
    if (word === "--") {
      rest.push(...args.slice(at + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      rest.push(word);
      continue;
    }
    const { name, label, value } = word.startsWith("--") ? parseLongFlag(word) : parseShortFlag(word);
    const flag = definitions.get(name);
    if (flag === undefined) throw new FlagError(`unknown flag: --${name}`);
    const optional = flag.type === "bool" || flag.type === "version";
    if (value !== undefined) setFlag(name, label, value);
    else if (optional) setFlag(name, label, "true");
    else if (at + 1 < args.length) setFlag(name, label, args[++at] as string);
    else throw new FlagError(`flag needs an argument: ${word.startsWith("--") ? `--${name}` : `'${word[1]}' in ${word}`}`);
  }
  const help = given.get("help")?.at(-1);
  const isHelp = help !== undefined && isTrue(help);
  if (rest.length > 0 && !isHelp) {
    throw new FlagError(`"kube-apiserver" does not take any arguments, got [${rest.map((each) => JSON.stringify(each)).join(" ")}]`);
  }
  const text = (name: string) => given.get(name)?.at(-1) ?? definitions.get(name)?.fallback ?? "";
  return {
    given,
    help: isHelp,
    text,
    list(name) {
      const all = given.get(name) ?? [definitions.get(name)?.fallback ?? ""];
      return all.flatMap((each) => each.split(",")).filter((each) => each !== "");
    },
    flag: (name) => isTrue(text(name)),
  };
}

/** Returns whether strconv.ParseBool reads the text as true. */
export function isTrue(text: string): boolean {
  return ["1", "t", "T", "TRUE", "true", "True"].includes(text);
}

interface FlagArgument {
  readonly name: string;
  /** The name in error messages. */
  readonly label: string;
  readonly value: string | undefined;
}

function parseLongFlag(word: string): FlagArgument {
  const at = word.indexOf("=");
  const written = at === -1 ? word.slice(2) : word.slice(2, at);
  if (written === "" || written.startsWith("-")) throw new FlagError(`bad flag syntax: ${word}`);
  // Underscores are accepted for compatibility.
  const name = written.replaceAll("_", "-");
  return { name, label: name === "v" ? "-v, --v" : `--${name}`, value: at === -1 ? undefined : word.slice(at + 1) };
}

function parseShortFlag(word: string): FlagArgument {
  const letter = word[1] as string;
  const name = SHORT_FLAGS[letter];
  if (name === undefined) throw new FlagError(`unknown shorthand flag: '${letter}' in ${word}`);
  const value = word.slice(2).replace(/^=/, "");
  return { name, label: `-${letter}, --${name}`, value: value === "" ? undefined : value };
}

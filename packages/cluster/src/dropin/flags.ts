import { valueProblem } from "./flag-values.ts";

/** A command line that cannot be read; the text is what kube-apiserver would say after "Error: ". */
export class FlagError extends Error {
  override readonly name = "FlagError";
}

/** Name, type, default; of the type "bool" when no value has to follow. */
export type FlagTable = readonly (readonly [name: string, type: string, fallback?: string])[];

export interface Flags {
  /** What was given, in order: lists and repeated flags have several. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly help: boolean;
  /** The last value given, else the default, else empty. */
  text(name: string): string;
  /** Every value given to a list, taken apart at commas; else the default. */
  list(name: string): readonly string[];
  flag(name: string): boolean;
}

const SHORT: Readonly<Record<string, string>> = { v: "v", h: "help" };

/** Reads a command line as kube-apiserver does: `--name value`, `--name=value`, `-v 3`. Throws FlagError at the first mistake. */
export function flags(words: readonly string[], table: FlagTable): Flags {
  const known = new Map(table.map(([name, type, fallback]) => [name, { type, fallback }] as const));
  known.set("help", { type: "bool", fallback: undefined });
  const given = new Map<string, string[]>();
  const rest: string[] = [];
  const take = (name: string, label: string, value: string) => {
    const type = known.get(name)?.type as string;
    const problem = valueProblem(type, value);
    if (problem !== undefined) throw new FlagError(`invalid argument ${JSON.stringify(value)} for "${label}" flag: ${problem}`);
    given.set(name, [...(given.get(name) ?? []), value]);
  };

  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (word === "--") {
      rest.push(...words.slice(at + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      rest.push(word);
      continue;
    }
    const { name, label, value } = word.startsWith("--") ? long(word) : short(word);
    const flag = known.get(name);
    if (flag === undefined) throw new FlagError(`unknown flag: --${name}`);
    const optional = flag.type === "bool" || flag.type === "version";
    if (value !== undefined) take(name, label, value);
    else if (optional) take(name, label, "true");
    else if (at + 1 < words.length) take(name, label, words[++at] as string);
    else throw new FlagError(`flag needs an argument: ${word.startsWith("--") ? `--${name}` : `'${word[1]}' in ${word}`}`);
  }
  const help = given.get("help")?.at(-1);
  const isHelp = help !== undefined && isTrue(help);
  if (rest.length > 0 && !isHelp) {
    throw new FlagError(`"kube-apiserver" does not take any arguments, got [${rest.map((each) => JSON.stringify(each)).join(" ")}]`);
  }
  const text = (name: string) => given.get(name)?.at(-1) ?? known.get(name)?.fallback ?? "";
  return {
    given,
    help: isHelp,
    text,
    list(name) {
      const all = given.get(name) ?? [known.get(name)?.fallback ?? ""];
      return all.flatMap((each) => each.split(",")).filter((each) => each !== "");
    },
    flag: (name) => isTrue(text(name)),
  };
}

/** As strconv.ParseBool reads what it takes to be true. */
export function isTrue(text: string): boolean {
  return ["1", "t", "T", "TRUE", "true", "True"].includes(text);
}

interface Given {
  readonly name: string;
  /** As error texts name it. */
  readonly label: string;
  readonly value: string | undefined;
}

function long(word: string): Given {
  const at = word.indexOf("=");
  const written = at === -1 ? word.slice(2) : word.slice(2, at);
  if (written === "" || written.startsWith("-")) throw new FlagError(`bad flag syntax: ${word}`);
  // Underscores are an old way to write the same.
  const name = written.replaceAll("_", "-");
  return { name, label: name === "v" ? "-v, --v" : `--${name}`, value: at === -1 ? undefined : word.slice(at + 1) };
}

function short(word: string): Given {
  const letter = word[1] as string;
  const name = SHORT[letter];
  if (name === undefined) throw new FlagError(`unknown shorthand flag: '${letter}' in ${word}`);
  const value = word.slice(2).replace(/^=/, "");
  return { name, label: `-${letter}, --${name}`, value: value === "" ? undefined : value };
}

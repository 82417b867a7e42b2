import { findReferences } from "./find-references.ts";
import type { ImportDeclaration } from "./import-declarations.ts";
import {
  type MemberNames,
  RENAMED_MEMBERS,
  RENAMED_METHODS,
  RENAMED_OBJECT_MEMBERS,
  RENAMED_OPTIONS,
  RENAMED_RESULT_MEMBERS,
} from "./renamed-symbols.ts";
import type { Token } from "./tokenize.ts";

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface RenamedMembers {
  readonly edits: readonly Edit[];
  /** One line per changed name: ".wait() -> .waitFor()". */
  readonly changes: readonly string[];
}

/** Renames members and options whose type follows from the code around them: the name of a receiver, an imported function, an option. */
export function renameMembers(tokens: readonly Token[], declarations: readonly ImportDeclaration[]): RenamedMembers {
  const imported = new Map(
    declarations
      .filter(({ module }) => /^@?pintle(\/|$)/.test(module))
      .flatMap(({ specifiers }) => specifiers.map(({ name, alias }) => [alias ?? name, name] as const)),
  );
  const renamed = [
    ...findMethods(tokens),
    ...findObjectMembers(tokens, imported),
    ...findResultMembers(tokens, imported),
    ...findOptions(tokens, imported),
  ];
  return { edits: renamed.map(({ edit }) => edit), changes: renamed.map(({ change }) => change) };
}

interface RenamedMember {
  readonly edit: Edit;
  readonly change: string;
}

const lookup = (names: MemberNames | undefined, name: string) =>
  names !== undefined && Object.hasOwn(names, name) ? names[name] : undefined;
const isDot = (token: Token | undefined) => token?.text === "." || token?.text === "?.";

/** `client.old(...)`, `owned(Kind).old()`. */
function findMethods(tokens: readonly Token[]): readonly RenamedMember[] {
  return tokens.flatMap((token, i) => {
    if (token.kind !== "identifier" || !Object.hasOwn(RENAMED_METHODS, token.text)) return [];
    const dot = tokens[i + 1]?.text === "(" ? tokens[i + 1]!.partner! + 1 : i + 1;
    if (!["(", "<"].includes(tokens[dot + 2]?.text ?? "")) return [];
    return renameAfterDot(tokens, dot, RENAMED_METHODS[token.text]!, (from, to) => `.${from}() -> .${to}()`);
  });
}

/** `changed.generation`, where `changed` is imported. */
function findObjectMembers(tokens: readonly Token[], imported: ReadonlyMap<string, string>): readonly RenamedMember[] {
  return tokens.flatMap((token, i) => {
    const names = RENAMED_OBJECT_MEMBERS[imported.get(token.text) ?? ""];
    return names === undefined || isDot(tokens[i - 1]) ? [] : renameAfterDot(tokens, i + 1, names);
  });
}

/** `const ca = authority(...)`, then `ca.server(...)`. A name that an inner scope declares again is left alone. */
function findResultMembers(tokens: readonly Token[], imported: ReadonlyMap<string, string>): readonly RenamedMember[] {
  return tokens.flatMap((token, i) => {
    if (token.kind !== "identifier" || tokens[i + 1]?.text !== "=") return [];
    const call = tokens[i + 2]?.text === "await" ? i + 3 : i + 2;
    const names = RENAMED_RESULT_MEMBERS[imported.get(tokens[call]?.text ?? "") ?? ""];
    if (names === undefined || !["(", "<"].includes(tokens[call + 1]?.text ?? "")) return [];
    const references = findReferences(tokens, token.text, (index) => index === i) ?? [];
    return references.flatMap((index) => renameAfterDot(tokens, index + 1, names));
  });
}

function renameAfterDot(
  tokens: readonly Token[],
  dot: number,
  names: MemberNames,
  describe = (from: string, to: string) => `.${from} -> .${to}`,
): readonly RenamedMember[] {
  const member = tokens[dot + 1];
  const to = isDot(tokens[dot]) && member !== undefined ? lookup(names, member.text) : undefined;
  if (member === undefined || to === undefined) return [];
  return [{ edit: { start: member.start, end: member.end, text: to }, change: describe(member.text, to) }];
}

/** Keys of an object literal that is an option (`leaderElection: { ... }`) or an argument of a call (`roundTrips(Kind, { ... })`). */
function findOptions(tokens: readonly Token[], imported: ReadonlyMap<string, string>): readonly RenamedMember[] {
  return tokens.flatMap((token, i) => {
    const names = token.text === "{" ? RENAMED_OPTIONS[ownerOf(tokens, i, imported) ?? ""] : undefined;
    if (names === undefined) return [];
    return tokens.flatMap((key, index): readonly RenamedMember[] => {
      const to = key.parent === i && key.kind === "identifier" ? lookup(names, key.text) : undefined;
      const after = tokens[index + 1]?.text ?? "";
      if (to === undefined || !["{", ","].includes(tokens[index - 1]!.text) || ![":", ",", "}", "("].includes(after)) return [];
      const text = after === "," || after === "}" ? `${to}: ${key.text}` : to;
      return [{ edit: { start: key.start, end: key.end, text }, change: `${key.text}: -> ${to}:` }];
    });
  });
}

/** The key of RENAMED_OPTIONS for the object literal at `brace`. */
function ownerOf(tokens: readonly Token[], brace: number, imported: ReadonlyMap<string, string>): string | undefined {
  const before = tokens[brace - 1]?.text;
  if (before === ":") return `${tokens[brace - 2]?.text}:`;
  const open = tokens[brace]!.parent;
  if ((before !== "(" && before !== ",") || tokens[open]?.text !== "(") return undefined;
  const callee = tokens[open - 1]?.text ?? "";
  if (isDot(tokens[open - 2])) return `${tokens[open - 3]?.text}.${callee}()`;
  return imported.has(callee) ? `${imported.get(callee)}()` : undefined;
}

/** Uses of renamed members that cannot be attributed without types: the user decides. */
export function findRenamedMembers(
  tokens: readonly Token[],
  isRewritten: (token: Token) => boolean,
): readonly { readonly token: Token; readonly message: string }[] {
  return tokens.flatMap((token, i) => {
    const to = token.kind === "identifier" ? lookup(RENAMED_MEMBERS, token.text) : undefined;
    const [before = "", after = ""] = [tokens[i - 1]?.text, tokens[i + 1]?.text];
    const isMember = before === "." || before === "?.";
    const isKey = ["{", ","].includes(before) && tokens[token.parent]?.text === "{" && [":", ",", "}"].includes(after);
    if (to === undefined || isRewritten(token) || !(isMember || isKey)) return [];
    return [{ token, message: `${isMember ? "." : ""}${token.text} may have to be renamed to ${to}` }];
  });
}

import { findReferences } from "./find-references.ts";
import { findImports, type ImportDeclaration, type ImportSpecifier } from "./import-declarations.ts";
import { type Edit, findRenamedMembers, renameMembers } from "./rename-members.ts";
import { isKnownModule, resolveSymbol } from "./renamed-symbols.ts";
import { type Token, tokenize } from "./tokenize.ts";

/** The result of rewriting one source file. */
export interface RewrittenSource {
  readonly text: string;
  /** One line per changed name: "start -> startManager". */
  readonly changes: readonly string[];
  /** One line per place that needs a decision of the user: "line 12: ...". */
  readonly manual: readonly string[];
}

const MAX_LINE = 120;

/**
 * Rewrites imports of renamed and moved symbols, and the uses of renamed symbols. Strings, comments, properties and members of the same name
 * are left alone. Where an inner scope may declare the old or the new name, the symbol is imported under its old name (`new as old`), so
 * that the code keeps its meaning.
 */
export function rewriteSource(text: string): RewrittenSource {
  if (!text.includes("pintle")) return { text, changes: [], manual: [] };
  const tokens = tokenize(text);
  const declarations = findImports(tokens);
  const affected = declarations.filter(({ module }) => isKnownModule(module));
  const isImport = (index: number) => declarations.some(({ firstToken, nextToken }) => index >= firstToken && index < nextToken);
  const edits: Edit[] = [];
  const changes: string[] = [];
  const manual = findDynamicImports(text, tokens, isImport);

  const rewritten = affected.map((declaration) => {
    if (declaration.namespace !== undefined) renameNamespaceMembers(tokens, declaration, isImport, edits, changes, manual);
    return rewriteDeclaration(declaration, tokens, isImport, edits, changes);
  });
  edits.push(...printDeclarations(text, declarations, affected, rewritten));
  if (declarations.some(({ module }) => /^(@?pintle)(\/|$)/.test(module))) {
    const renamed = renameMembers(tokens, declarations);
    edits.push(...renamed.edits);
    changes.push(...renamed.changes);
    const isRewritten = (token: Token) => renamed.edits.some(({ start }) => start === token.start);
    manual.push(...findRenamedMembers(tokens, isRewritten).map(({ token, message }) => `line ${lineOf(text, token.start)}: ${message}`));
  }
  return { text: applyEdits(text, edits), changes: [...new Set(changes)], manual };
}

/** A specifier with the module that exports it now. */
interface MovedSpecifier extends ImportSpecifier {
  readonly module: string;
}

function rewriteDeclaration(
  { keyword, module, specifiers }: ImportDeclaration,
  tokens: readonly Token[],
  isImport: (index: number) => boolean,
  edits: Edit[],
  changes: string[],
): readonly MovedSpecifier[] {
  return specifiers.map((specifier): MovedSpecifier => {
    const target = resolveSymbol(module, specifier.name);
    if (target.module !== module) changes.push(`${specifier.name}: "${module}" -> ${describeTarget(target, specifier.name)}`);
    else if (target.name !== specifier.name) changes.push(`${specifier.name} -> ${target.name}`);
    if (target.name === specifier.name) return { ...specifier, module: target.module };
    // A re-export keeps the name that other files import.
    const local = specifier.alias ?? specifier.name;
    const references =
      keyword === "import" && specifier.alias === undefined && !isNameTaken(tokens, target.name, isImport)
        ? findReferences(tokens, specifier.name, isImport)
        : undefined;
    for (const index of references ?? []) edits.push({ start: tokens[index]!.start, end: tokens[index]!.end, text: target.name });
    const alias = references === undefined && local !== target.name ? local : undefined;
    return { isTypeOnly: specifier.isTypeOnly, name: target.name, alias, module: target.module };
  });
}

const describeTarget = (target: { readonly module: string; readonly name: string }, name: string) =>
  target.name === name ? `"${target.module}"` : `${target.name} of "${target.module}"`;

/** Reports whether the file uses `name` other than as a member or in its imports. */
function isNameTaken(tokens: readonly Token[], name: string, isImport: (index: number) => boolean): boolean {
  const references = findReferences(tokens, name, isImport);
  return references === undefined || references.length > 0;
}

/** Renames `namespace.old` to `namespace.new`. */
function renameNamespaceMembers(
  tokens: readonly Token[],
  { namespace, module, keyword }: ImportDeclaration,
  isImport: (index: number) => boolean,
  edits: Edit[],
  changes: string[],
  manual: string[],
): void {
  if (keyword === "export" || namespace === undefined) {
    manual.push(`export * from "${module}": list the names that you re-export, some of them were renamed or moved`);
    return;
  }
  for (const index of findReferences(tokens, namespace, isImport) ?? []) {
    const member = tokens[index + 2];
    if (tokens[index + 1]?.text !== "." || member?.kind !== "identifier") continue;
    const target = resolveSymbol(module, member.text);
    if (target.name === member.text) continue;
    edits.push({ start: member.start, end: member.end, text: target.name });
    changes.push(`${namespace}.${member.text} -> ${namespace}.${target.name}`);
  }
}

/** Prints the changed declarations; names that move to a module that is already imported join that import. */
function printDeclarations(
  text: string,
  all: readonly ImportDeclaration[],
  affected: readonly ImportDeclaration[],
  rewritten: readonly (readonly MovedSpecifier[])[],
): readonly Edit[] {
  const added = new Map<ImportDeclaration, MovedSpecifier[]>();
  const printed = new Map<ImportDeclaration, string[]>();
  for (const [i, declaration] of affected.entries()) {
    const stays = rewritten[i]!.filter(({ module }) => module === declaration.module);
    const moved = groupByModule(rewritten[i]!.filter(({ module }) => module !== declaration.module));
    const own: string[] = [];
    const target = declaration.namespace === undefined ? declaration.module : resolveSymbol(declaration.module, "*").module;
    const isKept = stays.length > 0 || declaration.defaultName !== undefined || declaration.namespace !== undefined;
    if (isKept || declaration.specifiers.length === 0) own.push(printDeclaration({ ...declaration, module: target }, stays));
    for (const [module, specifiers] of moved) {
      const existing = all.find((other) => other !== declaration && canJoin(other, declaration, module));
      if (existing !== undefined) added.set(existing, [...(added.get(existing) ?? []), ...specifiers]);
      else own.push(printDeclaration({ ...declaration, module, defaultName: undefined, namespace: undefined }, specifiers));
    }
    printed.set(declaration, own);
  }
  for (const [declaration, specifiers] of added) {
    const known = affected.indexOf(declaration);
    const stays = known < 0 ? declaration.specifiers : rewritten[known]!.filter(({ module }) => module === declaration.module);
    const rest = (printed.get(declaration) ?? []).slice(1);
    printed.set(declaration, [printDeclaration(declaration, [...stays, ...specifiers]), ...rest]);
  }
  return [...printed].flatMap(([declaration, lines]): readonly Edit[] => {
    const { start, end } = declaration;
    if (isUnchanged(declaration, lines)) return [];
    const next = lines.length === 0 && text[end] === "\n" ? end + 1 : end;
    return [{ start, end: next, text: lines.join("\n") }];
  });
}

function groupByModule(specifiers: readonly MovedSpecifier[]): ReadonlyMap<string, readonly MovedSpecifier[]> {
  const modules = [...new Set(specifiers.map(({ module }) => module))];
  return new Map(modules.map((module) => [module, specifiers.filter((specifier) => specifier.module === module)]));
}

function isUnchanged(declaration: ImportDeclaration, lines: readonly string[]): boolean {
  return lines.length === 1 && lines[0] === printDeclaration(declaration, declaration.specifiers);
}

function canJoin(other: ImportDeclaration, { keyword, isTypeOnly }: ImportDeclaration, module: string): boolean {
  const isNamed = other.specifiers.length > 0 && other.namespace === undefined && !other.hasAttributes;
  return other.keyword === keyword && other.module === module && other.isTypeOnly === isTypeOnly && isNamed;
}

function printDeclaration(declaration: ImportDeclaration, specifiers: readonly ImportSpecifier[]): string {
  const { keyword, isTypeOnly, defaultName, namespace, module, quote, hasSemicolon } = declaration;
  const names = [
    ...new Set(
      specifiers.map(
        ({ isTypeOnly: isType, name, alias }) => `${isType ? "type " : ""}${name}${alias === undefined ? "" : ` as ${alias}`}`,
      ),
    ),
  ];
  const clauses = [
    ...(defaultName === undefined ? [] : [defaultName]),
    ...(namespace === undefined ? [] : [namespace === "*" ? "*" : `* as ${namespace}`]),
    ...(names.length === 0 ? [] : [`{ ${names.join(", ")} }`]),
  ].join(", ");
  const head = `${keyword} ${isTypeOnly ? "type " : ""}`;
  const tail = `${quote}${module}${quote}${hasSemicolon ? ";" : ""}`;
  const line = `${head}${clauses}${clauses === "" ? "" : " from "}${tail}`;
  if (line.length <= MAX_LINE || names.length < 2) return line;
  return line.replace(`{ ${names.join(", ")} }`, `{\n${names.map((name) => `  ${name},\n`).join("")}}`);
}

/** `import("...")`, `vi.mock("...")` and the like, whose names cannot be followed. */
function findDynamicImports(text: string, tokens: readonly Token[], isImport: (index: number) => boolean): string[] {
  return tokens.flatMap((token, i) => {
    const module = token.text.slice(1, -1);
    if (token.kind !== "string" || isImport(i) || tokens[i - 1]?.text !== "(" || !isKnownModule(module)) return [];
    if (resolveSymbol(module, "*").module === module) return [];
    return [`line ${lineOf(text, token.start)}: "${module}" was removed, import "${resolveSymbol(module, "*").module}" instead`];
  });
}

const lineOf = (text: string, at: number) => text.slice(0, at).split("\n").length;

function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = text;
  for (const { start, end, text: replacement } of [...edits].sort((a, b) => b.start - a.start)) {
    result = `${result.slice(0, start)}${replacement}${result.slice(end)}`;
  }
  return result;
}

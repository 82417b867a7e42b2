/**
 * Reads the declaration files that tsc emits: their statements, doc comments and exports. tsc's output is regular, so a tokenizer of strings,
 * comments and brackets is enough; no compiler API is involved.
 */

/** One top-level statement of a declaration file. */
export interface Statement {
  /** The text without comments, on as many lines as tsc wrote. */
  readonly text: string;
  /** The doc comment directly before it, without its delimiters and leading asterisks; empty if there is none. */
  readonly doc: string;
  /** The text with the comments inside it. */
  readonly source: string;
}

/** Heads of statements that end with their closing brace; all others end with a semicolon. */
const BLOCK = /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:interface|class|enum|namespace|module|global)\b/;

/** Splits a declaration file into its top-level statements. */
export function parseStatements(source: string): readonly Statement[] {
  const statements: Statement[] = [];
  let text = "";
  let doc = "";
  let depth = 0;
  let start = 0;
  const finish = (end: number) => {
    if (text.trim() !== "" && text.trim() !== ";") statements.push({ text: tidy(text), doc, source: source.slice(start, end) });
    text = "";
    doc = "";
    start = end;
  };
  for (let at = 0; at < source.length; at++) {
    const char = source[at] as string;
    if (char === "/" && source[at + 1] === "*") {
      const end = source.indexOf("*/", at + 2);
      if (depth === 0 && text.trim() === "") {
        if (source[at + 2] === "*") doc = docText(source.slice(at + 3, end));
        start = end + 2;
      }
      at = end + 1;
    } else if (char === "/" && source[at + 1] === "/") {
      at = source.indexOf("\n", at) - 1;
      if (at < 0) break;
    } else if (char === '"' || char === "'" || char === "`") {
      const end = endOfString(source, at);
      text += source.slice(at, end + 1);
      at = end;
    } else {
      text += char;
      if ("{([".includes(char)) depth++;
      else if ("})]".includes(char)) depth--;
      if (depth === 0 && (char === ";" || (char === "}" && BLOCK.test(text.trimStart())))) finish(at + 1);
    }
  }
  finish(source.length);
  return statements;
}

/** A property or method of an interface. */
export interface Member {
  readonly name: string;
  readonly isOptional: boolean;
  readonly doc: string;
}

/** The members of an interface or of an object type; none for other statements. */
export function membersOf({ source }: Statement): readonly Member[] {
  const [, body] = /^\s*export (?:declare )?(?:interface [^{]*|type \w+ = )\{\n([\s\S]*)\};?\s*$/.exec(source) ?? [];
  return parseStatements(body ?? "").flatMap(({ text, doc }) => {
    const [, name, optional] = /^(?:readonly )?"?([\w$~-]+)"?(\??)[:(<]/.exec(text) ?? [];
    return name === undefined ? [] : [{ name, isOptional: optional === "?", doc }];
  });
}

function endOfString(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === source[start]) return at;
  }
  return source.length - 1;
}

function docText(comment: string): string {
  return comment
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .trim();
}

function tidy(text: string): string {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .join("\n")
    .trim();
}

/** What a statement exports or declares. */
export type Declared =
  | { readonly type: "reexport"; readonly from: string; readonly names: readonly ExportedName[] }
  | { readonly type: "reexport-all"; readonly from: string }
  | { readonly type: "namespace"; readonly from: string; readonly name: string }
  | { readonly type: "local-exports"; readonly names: readonly ExportedName[] }
  | { readonly type: "declaration"; readonly name: string; readonly isValue: boolean; readonly isExported: boolean }
  | { readonly type: "other" };

export interface ExportedName {
  /** The name in the module it comes from. */
  readonly name: string;
  readonly exportedAs: string;
}

/** Tells what a statement contributes to a module's exports. */
export function classify({ text }: Statement): Declared {
  const flat = text.replace(/\s+/g, " ");
  const namespace = /^export \* as (\w+) from "([^"]+)"/.exec(flat);
  if (namespace !== null) return { type: "namespace", name: namespace[1] as string, from: namespace[2] as string };
  const all = /^export (?:type )?\* from "([^"]+)"/.exec(flat);
  if (all !== null) return { type: "reexport-all", from: all[1] as string };
  const list = /^export (?:type )?\{(.*?)\}(?: from "([^"]+)")?/.exec(flat);
  if (list !== null) {
    const names = (list[1] as string)
      .split(",")
      .map((each) => each.trim().replace(/^type /, ""))
      .filter((each) => each !== "")
      .map((each) => {
        const [name = "", exportedAs = name] = each.split(" as ");
        return { name, exportedAs };
      });
    return list[2] === undefined ? { type: "local-exports", names } : { type: "reexport", from: list[2], names };
  }
  const declaration =
    /^(export )?(?:default )?(?:declare )?(?:abstract )?(function|const|let|var|class|interface|type|enum|namespace)\s+([\w$]+)/.exec(flat);
  if (declaration === null) return { type: "other" };
  const isValue = !["interface", "type"].includes(declaration[2] as string);
  return { type: "declaration", name: declaration[3] as string, isValue, isExported: declaration[1] !== undefined };
}

/** The fenced TypeScript blocks below `@example` tags of a doc comment. */
export function examplesOf(doc: string): readonly string[] {
  return doc
    .split(/^@(?=\w)/m)
    .filter((section) => section.startsWith("example"))
    .flatMap(fencedCode);
}

/** The fenced TypeScript blocks of Markdown text. */
export function fencedCode(text: string): readonly string[] {
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);
}

/** The public surface of a package: every name its entry points export, with declaration and doc comment. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { classify, parseStatements, type Statement } from "./declarations.ts";

export interface PublicName {
  readonly name: string;
  readonly isValue: boolean;
  /** The declarations: several for overloads, and for a type and a value of one name. */
  readonly statements: readonly Statement[];
  /** The source file, relative to the repository. */
  readonly file: string;
  /** Types of this package that the declarations refer to. */
  readonly referenced: ReadonlySet<string>;
}

export interface EntryPoint {
  /** As users write it: "pintle/client". */
  readonly specifier: string;
  readonly names: readonly PublicName[];
}

/** Reads emitted declarations below `emitted`, a mirror of the repository. */
export function readEntryPoint(emitted: string, specifier: string, source: string): EntryPoint {
  const modules = new Map<string, readonly Statement[]>();
  const statementsOf = (file: string) => {
    let found = modules.get(file);
    if (found === undefined) {
      found = parseStatements(readFileSync(path.join(emitted, file), "utf8"));
      modules.set(file, found);
    }
    return found;
  };
  const resolve = (from: string, target: string) => path.join(path.dirname(from), target.replace(/\.[tj]s$/, ".d.ts"));

  function describe(file: string, name: string, isValue: boolean, statements: readonly Statement[]): PublicName {
    const local = new Set(statementsOf(file).flatMap(localTypes));
    const words = statements.flatMap(({ text }) => text.replace(/"(?:[^"\\]|\\.)*"/g, "").match(/(?<![.\w])[A-Z]\w+/g) ?? []);
    const referenced = new Set(words.filter((word) => local.has(word) && word !== name));
    return { name, isValue, statements, file: file.replace(/\.d\.ts$/, ".ts"), referenced };
  }

  function declared(file: string, name: string, exportedAs: string): PublicName[] {
    const statements = statementsOf(file);
    const own = statements.filter((statement) => {
      const found = classify(statement);
      return found.type === "declaration" && found.name === name;
    });
    if (own.length > 0) {
      const isValue = own.some((statement) => (classify(statement) as { readonly isValue?: boolean }).isValue === true);
      return [describe(file, exportedAs, isValue, own)];
    }
    const imported = importOf(statements, name);
    if (imported !== undefined)
      return imported.from.startsWith(".") ? declared(resolve(file, imported.from), imported.name, exportedAs) : [];
    return exportsOf(file)
      .filter((each) => each.name === name)
      .map((each) => ({ ...each, name: exportedAs }));
  }

  function exportsOf(file: string): PublicName[] {
    return statementsOf(file).flatMap((statement) => exportedBy(file, statement));
  }

  function exportedBy(file: string, statement: Statement): PublicName[] {
    const found = classify(statement);
    switch (found.type) {
      case "declaration":
        return found.isExported ? [describe(file, found.name, found.isValue, [statement])] : [];
      case "local-exports":
        return found.names.flatMap(({ name, exportedAs }) => declared(file, name, exportedAs));
      case "reexport":
        if (!found.from.startsWith("."))
          return found.names.map(({ exportedAs }) => ({
            name: exportedAs,
            isValue: true,
            statements: [statement],
            file: "",
            referenced: new Set(),
          }));
        return found.names.flatMap(({ name, exportedAs }) => declared(resolve(file, found.from), name, exportedAs));
      case "reexport-all":
        return found.from.startsWith(".") ? exportsOf(resolve(file, found.from)) : [];
      case "namespace":
        return [{ name: found.name, isValue: true, statements: [statement], file: "", referenced: new Set() }];
      case "other":
        return [];
    }
  }

  const merged = new Map<string, PublicName>();
  for (const each of exportsOf(source.replace(/\.ts$/, ".d.ts"))) {
    const before = merged.get(each.name);
    const statements = [...new Set([...(before?.statements ?? []), ...each.statements])];
    const referenced = new Set([...(before?.referenced ?? []), ...each.referenced]);
    merged.set(each.name, { ...each, isValue: before?.isValue === true || each.isValue, statements, referenced });
  }
  return { specifier, names: [...merged.values()].sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** The names that a statement declares, or imports from this package. */
function localTypes(statement: Statement): readonly string[] {
  const found = classify(statement);
  if (found.type === "declaration") return [found.name];
  const imported = /^import (?:type )?\{(.*?)\} from "\./s.exec(statement.text)?.[1] ?? "";
  return imported.split(",").map(
    (each) =>
      each
        .trim()
        .replace(/^type /, "")
        .split(" as ")
        .at(-1) as string,
  );
}

/** Where a module imports a name from that it exports again without `from`. */
function importOf(statements: readonly Statement[], name: string): { readonly from: string; readonly name: string } | undefined {
  for (const { text } of statements) {
    const [, list, from] = /^import (?:type )?\{(.*?)\} from "([^"]+)"/s.exec(text) ?? [];
    for (const each of list?.split(",") ?? []) {
      const [original = "", local = original] = each
        .trim()
        .replace(/^type /, "")
        .split(" as ");
      if (local === name && from !== undefined) return { from, name: original };
    }
  }
  return undefined;
}

import path from "node:path/posix";
import type { GroupVersion } from "./group-version.ts";
import { kindText } from "./kind-text.ts";
import { byText, type Schema } from "./schema.ts";
import { isOpen, shapeText } from "./shape-text.ts";
import { fieldsOf, interfaceText, type Names, typeText } from "./type-text.ts";

/** Where a generated file finds the hand-written part of the kinds folder, and the files of other group-versions. */
export interface Surroundings {
  /** First line: where the facts come from. */
  readonly origin: string;
  /** A hand-written part as an import specifier. */
  library(part: "kind" | "meta" | "shape-table"): string;
  /** How a nested definition is called, and in which file (relative to the output folder, without ending). */
  declaration(definition: string): { readonly file: string; readonly name: string };
}

/** The whole text of one group-version's file. */
export function kindFile(of: GroupVersion, around: Surroundings): string {
  const imports = importList(localNames(of, around));
  const names: Names = {
    shared: (type) => imports.type(around.library("meta"), type),
    definition(definition) {
      const { file, name } = around.declaration(definition);
      return file === of.file ? name : imports.type(specifier(of.file, file), name);
    },
  };
  const kinds = [...of.kinds].sort((a, b) => byText(a.kind, b.kind));
  const shapes = shapeText(
    kinds.map((entry) => entry.definition),
    of.definitions,
  );
  const kindTexts = kinds.map((entry) => kindText(entry, of, names, shapes.nameOf(entry.definition)));
  const typeTexts = of.types.map((definition) => typeDeclaration(around.declaration(definition).name, of.definitions[definition]!, names));
  imports.value(around.library("kind"), "kind");
  imports.type(around.library("kind"), "Kind");
  imports.value(around.library("shape-table"), "shapeTable");
  return `${[
    `// ${around.origin}`,
    imports.text(),
    ...kindTexts,
    ...typeTexts.sort(byText),
    `const shapes = shapeTable(\`${shapes.text.replaceAll("${", "\\${")}\`);`,
  ].join("\n\n")}\n`;
}

function localNames(of: GroupVersion, around: Surroundings): ReadonlySet<string> {
  const all = [
    ...of.types.map((type) => around.declaration(type).name),
    ...of.kinds.flatMap(({ kind }) => [kind, `${kind}Desired`, `${kind}Kind`]),
  ];
  const twice = all.find((name, i) => all.indexOf(name) !== i);
  if (twice !== undefined) throw new Error(`${of.file}: two types would be called ${twice}`);
  return new Set(all);
}

function typeDeclaration(name: string, schema: Schema, names: Names): string {
  if (schema.properties === undefined) return `export type ${name} = ${typeText(schema, names)};`;
  return interfaceText(name, fieldsOf(schema, names), isOpen(schema));
}

/** Collects what a file imports; a type that the file itself has a namesake of is renamed. */
function importList(taken: ReadonlySet<string>) {
  const files = new Map<string, { readonly values: Set<string>; readonly types: Map<string, string> }>();
  const file = (from: string) => {
    const known = files.get(from) ?? { values: new Set(), types: new Map() };
    files.set(from, known);
    return known;
  };
  return {
    value(from: string, name: string): void {
      file(from).values.add(name);
    },
    type(from: string, name: string): string {
      const called = taken.has(name) ? `Shared${name}` : name;
      file(from).types.set(name, called);
      return called;
    },
    text(): string {
      return [...files]
        .sort(([a], [b]) => byText(a, b))
        .map(([from, { values, types }]) => {
          const typeNames = [...types].map(([name, called]) => (name === called ? name : `${name} as ${called}`)).sort(byText);
          if (values.size === 0) return `import type { ${typeNames.join(", ")} } from ${JSON.stringify(from)};`;
          return `import { ${[...[...values].sort(byText), ...typeNames.map((name) => `type ${name}`)].join(", ")} } from ${JSON.stringify(from)};`;
        })
        .join("\n");
    },
  };
}

function specifier(from: string, to: string): string {
  const relative = path.relative(path.dirname(from), to);
  return `${relative.startsWith(".") ? relative : `./${relative}`}.ts`;
}

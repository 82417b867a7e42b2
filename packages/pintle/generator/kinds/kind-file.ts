import path from "node:path/posix";
import { compareText, type OpenApiSchema } from "../schema.ts";
import type { GroupVersion } from "./group-version.ts";
import { renderKind } from "./kind-text.ts";
import { preservesUnknownFields, renderShapeTable } from "./shape-text.ts";
import { renderInterface, renderType, structFields, type TypeNames } from "./type-text.ts";

/** How a generated file refers to the hand-written part of `kinds` and to the files of other group-versions. */
export interface KindFileContext {
  /** The first line, which names the source. */
  readonly origin: string;
  /** Returns the import specifier of a hand-written part. */
  library(part: "kind" | "meta" | "shape-table"): string;
  /** Returns the name of a nested type and its file (relative to the output folder, without extension). */
  declaration(definition: string): { readonly file: string; readonly name: string };
}

/** Renders the file of one group-version. */
export function renderKindFile(groupVersion: GroupVersion, context: KindFileContext): string {
  const imports = createImportList(collectLocalNames(groupVersion, context));
  const names: TypeNames = {
    shared: (type) => imports.type(context.library("meta"), type),
    definition(definition) {
      const { file, name } = context.declaration(definition);
      return file === groupVersion.file ? name : imports.type(relativeSpecifier(groupVersion.file, file), name);
    },
  };
  const kinds = [...groupVersion.kinds].sort((a, b) => compareText(a.kind, b.kind));
  const shapes = renderShapeTable(
    kinds.map((entry) => entry.definition),
    groupVersion.definitions,
  );
  const kindTexts = kinds.map((entry) => renderKind(entry, groupVersion, names, shapes.nameOf(entry.definition)));
  const typeTexts = groupVersion.types.map((definition) =>
    renderTypeDeclaration(context.declaration(definition).name, groupVersion.definitions[definition]!, names),
  );
  imports.value(context.library("kind"), "defineKind");
  imports.type(context.library("kind"), "Kind");
  imports.value(context.library("shape-table"), "parseShapeTable");
  return `${[
    `// ${context.origin}`,
    imports.text(),
    ...kindTexts,
    ...typeTexts.sort(compareText),
    `const shapes = parseShapeTable(\`${shapes.text.replaceAll("${", "\\${")}\`);`,
  ].join("\n\n")}\n`;
}

function collectLocalNames(groupVersion: GroupVersion, context: KindFileContext): ReadonlySet<string> {
  const all = [
    ...groupVersion.types.map((type) => context.declaration(type).name),
    ...groupVersion.kinds.flatMap(({ kind }) => [kind, `${kind}Desired`, `${kind}Kind`]),
  ];
  const twice = all.find((name, i) => all.indexOf(name) !== i);
  if (twice !== undefined) throw new Error(`${groupVersion.file}: two types would have the name ${twice}`);
  return new Set(all);
}

function renderTypeDeclaration(name: string, schema: OpenApiSchema, names: TypeNames): string {
  if (schema.properties === undefined) return `export type ${name} = ${renderType(schema, names)};`;
  return renderInterface(name, structFields(schema, names), preservesUnknownFields(schema));
}

/** Collects the imports of a file. A type whose name the file declares itself is imported under another name. */
function createImportList(taken: ReadonlySet<string>) {
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
        .sort(([a], [b]) => compareText(a, b))
        .map(([from, { values, types }]) => {
          const typeNames = [...types].map(([name, called]) => (name === called ? name : `${name} as ${called}`)).sort(compareText);
          if (values.size === 0) return `import type { ${typeNames.join(", ")} } from ${JSON.stringify(from)};`;
          return `import { ${[...[...values].sort(compareText), ...typeNames.map((name) => `type ${name}`)].join(", ")} } from ${JSON.stringify(from)};`;
        })
        .join("\n");
    },
  };
}

function relativeSpecifier(from: string, to: string): string {
  const relative = path.relative(path.dirname(from), to);
  return `${relative.startsWith(".") ? relative : `./${relative}`}.ts`;
}

import { compareText } from "../schema.ts";
import { definitionFile } from "./built-in-kinds.ts";
import type { GroupVersion } from "./group-version.ts";

/** How the file of the field types refers to the declarations of the types. */
export interface FieldTypesContext {
  /** The first line, which names the source. */
  readonly origin: string;
  /** Returns file and name of a nested type. */
  declaration(definition: string): { readonly file: string; readonly name: string };
}

/** The types of meta/v1 that a resource can contain; they are hand-written in `kinds`. */
const SHARED = ["Condition", "LabelSelector", "LabelSelectorRequirement", "OwnerReference"];

/** Renders the interface that maps the id of every nested type to its declaration: "v1/Probe" to the type Probe of the file core/v1. */
export function renderFieldTypes(groupVersions: readonly GroupVersion[], context: FieldTypesContext): string {
  const files = groupVersions.filter(({ types }) => types.length > 0).map(({ file }) => file);
  const alias = (file: string) => file.replace("/", "_");
  const entries = groupVersions.flatMap(({ types }) =>
    types.map((definition) => {
      const { file, name } = context.declaration(definition);
      const id = `${definitionFile(definition).replace(/^core\//, "")}/${definition.slice(definition.lastIndexOf(".") + 1)}`;
      return [id, `${alias(file)}.${name}`] as const;
    }),
  );
  const shared = SHARED.map((name) => [`meta/v1/${name}`, name] as const);
  return `${[
    `// ${context.origin}`,
    "",
    ...[...files].sort(compareText).map((file) => `import type * as ${alias(file)} from "../../kinds/generated/${file}.ts";`),
    `import type { ${SHARED.join(", ")} } from "../../kinds/index.ts";`,
    "",
    "/** The nested types of the built-in kinds, by id. */",
    "export interface BuiltInTypes {",
    ...[...entries, ...shared].sort(([a], [b]) => compareText(a, b)).map(([id, type]) => `  readonly ${JSON.stringify(id)}: ${type};`),
    "}",
  ].join("\n")}\n`;
}

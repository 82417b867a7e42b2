import type { GroupVersion, KindEntry } from "./group-version.ts";
import { byText } from "./schema.ts";
import { isOpen } from "./shape-text.ts";
import { type Field, interfaceText, mustBeWritten, type Names, typeText } from "./type-text.ts";

/** Read type, apply type, kind interface and kind value of one kind. */
export function kindText(entry: KindEntry, of: GroupVersion, names: Names, shape: string): string {
  const schema = of.definitions[entry.definition]!;
  const id = of.group === "" ? `${of.version}/${entry.kind}` : `${of.group}/${of.version}/${entry.kind}`;
  const apiVersion = id.slice(0, id.lastIndexOf("/"));
  const body = bodyOf(entry, of, names);
  const metadata = metadataOf(entry);
  const read: Field[] = [
    { name: "apiVersion", type: JSON.stringify(apiVersion), required: true },
    { name: "kind", type: JSON.stringify(entry.kind), required: true },
    { name: "metadata", type: names.shared(metadata.read), required: true },
    ...body.map((field) => ({ ...field, required: field.present })),
  ];
  const open = isOpen(schema);
  const texts = [interfaceText(entry.kind, read, open)];
  const writable = entry.verbs.some((verb) => verb === "create" || verb === "update" || verb === "patch");
  if (writable) {
    const desired: Field[] = [
      { name: "metadata", type: names.shared(metadata.desired), required: metadata.required },
      ...body.filter((field) => field.name !== "status"),
    ];
    texts.push(interfaceText(`${entry.kind}Desired`, desired, open));
  }
  if (entry.plural !== undefined) {
    const apply = writable ? `${entry.kind}Desired` : "never";
    texts.push(
      `export interface ${entry.kind}Kind extends Kind<${JSON.stringify(id)}, ${entry.kind}, ${apply}, "${entry.scope}"> {}`,
      [
        `export const ${entry.kind}: ${entry.kind}Kind = kind(${JSON.stringify(id)}, ${JSON.stringify(entry.plural)}, "${entry.scope}", {`,
        ...(entry.subresources.length === 0
          ? []
          : [`  subresources: [${entry.subresources.map((name) => JSON.stringify(name)).join(", ")}],`]),
        `  shape: () => shapes(${JSON.stringify(shape)}),`,
        "});",
      ].join("\n"),
    );
  }
  return texts.join("\n");
}

/** What is created and never stored (reviews, bindings) has no uid and needs no name. */
function metadataOf(entry: KindEntry): { readonly read: string; readonly desired: string; readonly required: boolean } {
  if (!entry.verbs.includes("get")) return { read: "TemplateMetadata", desired: "TemplateMetadata", required: false };
  return entry.scope === "Namespaced"
    ? { read: "NamespacedMetadata", desired: "DesiredNamespacedMetadata", required: true }
    : { read: "Metadata", desired: "DesiredMetadata", required: true };
}

/** The server turns it into `data` that its writer does not own and so can never remove. */
const WRITE_ONLY = "io.k8s.api.core.v1.Secret.stringData";

interface TopField extends Field {
  /** The server always writes it. */
  readonly present: boolean;
}

function bodyOf(entry: KindEntry, of: GroupVersion, names: Names): readonly TopField[] {
  const schema = of.definitions[entry.definition]!;
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => !["apiVersion", "kind", "metadata"].includes(name) && `${entry.definition}.${name}` !== WRITE_ONLY)
    .sort(([a], [b]) => byText(a, b))
    .map(([name, property]) => ({
      name,
      type: typeText(property, names),
      required: mustBeWritten(name, schema, (definition) => of.definitions[definition]!),
      present: schema.required?.includes(name) === true || property.default !== undefined,
    }));
}

import { compareText } from "../schema.ts";
import type { GroupVersion, KindEntry } from "./group-version.ts";
import { preservesUnknownFields } from "./shape-text.ts";
import { isRequiredOnWrite, renderInterface, renderType, type TypeField, type TypeNames } from "./type-text.ts";

/** Renders the read type, apply type, kind interface and kind value of one kind. */
export function renderKind(entry: KindEntry, groupVersion: GroupVersion, names: TypeNames, shape: string): string {
  const schema = groupVersion.definitions[entry.definition]!;
  const id =
    groupVersion.group === "" ? `${groupVersion.version}/${entry.kind}` : `${groupVersion.group}/${groupVersion.version}/${entry.kind}`;
  const apiVersion = id.slice(0, id.lastIndexOf("/"));
  const body = bodyFields(entry, groupVersion, names);
  const metadata = metadataTypes(entry);
  const read: TypeField[] = [
    { name: "apiVersion", type: JSON.stringify(apiVersion), required: true },
    { name: "kind", type: JSON.stringify(entry.kind), required: true },
    { name: "metadata", type: names.shared(metadata.read), required: true },
    ...body.map((field) => ({ ...field, required: field.present })),
  ];
  const open = preservesUnknownFields(schema);
  const texts = [renderInterface(entry.kind, read, open)];
  const writable = entry.verbs.some((verb) => verb === "create" || verb === "update" || verb === "patch");
  if (writable) {
    const desired: TypeField[] = [
      { name: "metadata", type: names.shared(metadata.desired), required: metadata.required },
      ...body.filter((field) => field.name !== "status"),
    ];
    texts.push(renderInterface(`${entry.kind}Desired`, desired, open));
  }
  if (entry.plural !== undefined) {
    const apply = writable ? `${entry.kind}Desired` : "never";
    texts.push(
      `export interface ${entry.kind}Kind extends Kind<${JSON.stringify(id)}, ${entry.kind}, ${apply}, "${entry.scope}"> {}`,
      [
        `export const ${entry.kind}: ${entry.kind}Kind = defineKind(${JSON.stringify(id)}, ${JSON.stringify(entry.plural)}, "${entry.scope}", {`,
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

/** Returns the metadata types of a kind. Objects that are never stored (reviews, bindings) have no uid and need no name. */
function metadataTypes(entry: KindEntry): { readonly read: string; readonly desired: string; readonly required: boolean } {
  if (!entry.verbs.includes("get")) return { read: "TemplateMetadata", desired: "TemplateMetadata", required: false };
  return entry.scope === "Namespaced"
    ? { read: "NamespacedMetadata", desired: "DesiredNamespacedMetadata", required: true }
    : { read: "Metadata", desired: "DesiredMetadata", required: true };
}

/** The API server moves it to `data`, which the field manager then does not own and cannot remove. */
const WRITE_ONLY = "io.k8s.api.core.v1.Secret.stringData";

interface TopField extends TypeField {
  /** Whether the API server always returns it. */
  readonly present: boolean;
}

function bodyFields(entry: KindEntry, groupVersion: GroupVersion, names: TypeNames): readonly TopField[] {
  const schema = groupVersion.definitions[entry.definition]!;
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => !["apiVersion", "kind", "metadata"].includes(name) && `${entry.definition}.${name}` !== WRITE_ONLY)
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, property]) => ({
      name,
      type: renderType(property, names),
      required: isRequiredOnWrite(name, schema, (definition) => groupVersion.definitions[definition]!),
      present: schema.required?.includes(name) === true || property.default !== undefined,
    }));
}

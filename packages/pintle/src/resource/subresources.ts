import type { CrdVersion, StructuralSchema } from "./custom-resource-definition.ts";
import type { Scale } from "./definition.ts";
import { schemaAt } from "./field-path.ts";
import { InvalidResource } from "./invalid-resource.ts";

/** The scale subresource, if its paths lead to what it needs. */
export function scaleOf(scale: Scale, root: StructuralSchema): NonNullable<NonNullable<CrdVersion["subresources"]>["scale"]> {
  return {
    specReplicasPath: field(scale.spec, root, "scale.spec", ["integer"]),
    statusReplicasPath: field(scale.status, root, "scale.status", ["integer"]),
    ...(scale.selector === undefined ? {} : { labelSelectorPath: field(scale.selector, root, "scale.selector", ["string"]) }),
  };
}

/** Fields that field selectors may name. */
export function selectableFields(paths: readonly string[], root: StructuralSchema): readonly { readonly jsonPath: string }[] {
  if (paths.length > 8) throw new InvalidResource("selectable", `${paths.length} selectable fields`, "the server takes at most 8");
  return paths.map((path, i) => {
    const said = `selectable[${i}]`;
    if (paths.indexOf(path) < i) throw new InvalidResource(said, `"${path}" is there twice`, "name it once");
    if (path.startsWith(".metadata."))
      throw new InvalidResource(said, `"${path}" is metadata`, "select by name, namespace or labels instead");
    return { jsonPath: field(path, root, said, ["string", "integer", "boolean"]) };
  });
}

/** A plain chain of fields, without lists or maps, that ends at one of these types. */
function field(path: string, root: StructuralSchema, said: string, types: readonly string[]): string {
  schemaAt(root, path, said);
  let found: StructuralSchema | undefined = root;
  for (const name of path.slice(1).split(".")) found = found?.properties?.[name];
  if (found?.type !== undefined && types.includes(found.type)) return path;
  const is = found === undefined ? "goes through a list or a map" : `is ${found.type ?? "untyped"}`;
  throw new InvalidResource(said, `"${path}" ${is}`, `name a field of type ${types.join(", ")} by its plain path`);
}

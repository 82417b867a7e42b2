import type { CrdVersion, StructuralSchema } from "../custom-resource-definition.ts";
import { InvalidResource } from "../invalid-resource.ts";
import type { ScaleSubresource } from "../resource-definition.ts";
import { schemaAtPath } from "./json-path.ts";

/** Returns the scale subresource. Throws `InvalidResource` if a path does not name an integer, or a string for the selector. */
export function buildScaleSubresource(
  scale: ScaleSubresource,
  root: StructuralSchema,
): NonNullable<NonNullable<CrdVersion["subresources"]>["scale"]> {
  return {
    specReplicasPath: checkPlainPath(scale.spec, root, "scale.spec", ["integer"]),
    statusReplicasPath: checkPlainPath(scale.status, root, "scale.status", ["integer"]),
    ...(scale.selector === undefined ? {} : { labelSelectorPath: checkPlainPath(scale.selector, root, "scale.selector", ["string"]) }),
  };
}

/** Returns the fields that field selectors may use. Throws `InvalidResource` for paths that the API server would reject. */
export function buildSelectableFields(paths: readonly string[], root: StructuralSchema): readonly { readonly jsonPath: string }[] {
  if (paths.length > 8) throw new InvalidResource("selectable", `${paths.length} selectable fields`, "the API server accepts at most 8");
  return paths.map((path, i) => {
    const option = `selectable[${i}]`;
    if (paths.indexOf(path) < i) throw new InvalidResource(option, `"${path}" is listed twice`, "list it once");
    if (path.startsWith(".metadata."))
      throw new InvalidResource(option, `"${path}" is metadata`, "select by name, namespace or labels instead");
    return { jsonPath: checkPlainPath(path, root, option, ["string", "integer", "boolean"]) };
  });
}

/** Returns the path if it consists of fields only, without lists or maps, and ends at one of these types. */
function checkPlainPath(path: string, root: StructuralSchema, option: string, types: readonly string[]): string {
  schemaAtPath(root, path, option);
  let found: StructuralSchema | undefined = root;
  for (const name of path.slice(1).split(".")) found = found?.properties?.[name];
  if (found?.type !== undefined && types.includes(found.type)) return path;
  const is = found === undefined ? "goes through a list or a map" : `is ${found.type ?? "untyped"}`;
  throw new InvalidResource(option, `"${path}" ${is}`, `use the path of a field of type ${types.join(", ")}`);
}

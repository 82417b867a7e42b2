import type { CrdVersion, StructuralSchema } from "../custom-resource-definition.ts";
import { InvalidResource } from "../invalid-resource.ts";
import type { CrdVersionOptions, ScaleSubresource } from "../resource-definition.ts";
import { buildRootSchema, type RootSchemaParts } from "../schema/index.ts";
import { schemaAtPath } from "./json-path.ts";
import { buildPrinterColumns } from "./printer-columns.ts";
import { checkVersionName } from "./resource-names.ts";

/** The part of an object that conversion functions receive and return. */
export interface UntypedSpecAndStatus {
  readonly spec: any;
  readonly status?: any;
}

/** One version of a resource: its entry in the CustomResourceDefinition, and its conversion to the hub and back. */
export interface VersionModel {
  readonly crd: Omit<CrdVersion, "storage">;
  /** Absent when the schema equals that of the hub. */
  readonly convert?:
    | { toHub(body: UntypedSpecAndStatus): UntypedSpecAndStatus; fromHub(body: UntypedSpecAndStatus): UntypedSpecAndStatus }
    | undefined;
}

/** Builds the entry of one version in the CustomResourceDefinition. */
export function buildCrdVersion(name: string, parts: RootSchemaParts, options: CrdVersionOptions): VersionModel["crd"] {
  const schema = buildRootSchema(parts);
  const { columns = [], scale, selectable = [] } = options;
  const hasStatus = schema.properties?.["status"] !== undefined;
  return {
    ...servingFields(name, options),
    schema: { openAPIV3Schema: schema },
    ...(hasStatus || scale
      ? { subresources: { ...(hasStatus ? { status: {} } : {}), ...(scale ? { scale: buildScaleSubresource(scale, schema) } : {}) } }
      : {}),
    ...(columns.length > 0 ? { additionalPrinterColumns: buildPrinterColumns(columns, schema) } : {}),
    ...(selectable.length > 0 ? { selectableFields: buildSelectableFields(selectable, schema) } : {}),
  };
}

/** The name of a version, whether it is served, and its deprecation. */
export function servingFields(
  name: string,
  { served = true, deprecated }: Pick<CrdVersionOptions, "served" | "deprecated">,
): Pick<CrdVersion, "name" | "served" | "deprecated" | "deprecationWarning"> {
  if (typeof deprecated === "string" && (deprecated.length > 256 || /\p{C}/u.test(deprecated))) {
    throw new InvalidResource("deprecated", "a warning that is not one line", "use at most 256 printable characters");
  }
  return {
    name: checkVersionName(name),
    served,
    ...(deprecated ? { deprecated: true } : {}),
    ...(typeof deprecated === "string" && deprecated !== "" ? { deprecationWarning: deprecated } : {}),
  };
}

/** Returns the schema of a version. */
export function versionSchema(crd: VersionModel["crd"]): StructuralSchema {
  return crd.schema.openAPIV3Schema;
}

/** Returns the scale subresource. Throws `InvalidResource` if a path does not name an integer, or a string for the selector. */
function buildScaleSubresource(
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
function buildSelectableFields(paths: readonly string[], root: StructuralSchema): readonly { readonly jsonPath: string }[] {
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

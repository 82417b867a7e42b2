import type { CrdVersion, StructuralSchema } from "../custom-resource-definition.ts";
import { InvalidResource } from "../invalid-resource.ts";
import type { CrdVersionOptions } from "../resource-definition.ts";
import { buildRootSchema, type RootSchemaParts } from "../schema/index.ts";
import { buildPrinterColumns } from "./printer-columns.ts";
import { checkVersionName } from "./resource-names.ts";
import { buildScaleSubresource, buildSelectableFields } from "./subresources.ts";

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

import { printerColumns } from "./columns.ts";
import type { CrdVersion, StructuralSchema } from "./custom-resource-definition.ts";
import type { VersionOptions } from "./definition.ts";
import { InvalidResource } from "./invalid-resource.ts";
import { versionName } from "./names.ts";
import { type Parts, rootSchema } from "./root-schema.ts";
import { scaleOf, selectableFields } from "./subresources.ts";

/** What conversions see and make of an object. */
export interface Body {
  readonly spec: any;
  readonly status?: any;
}

/** One version of a resource: what the server is told about it, and how it becomes the hub's and back. */
export interface Version {
  readonly crd: Omit<CrdVersion, "storage">;
  /** Absent when it looks like the hub. */
  readonly convert?: { toHub(body: Body): Body; fromHub(body: Body): Body } | undefined;
}

export function version(name: string, parts: Parts, options: VersionOptions): Version["crd"] {
  const schema = rootSchema(parts);
  const { columns = [], scale, selectable = [] } = options;
  const hasStatus = schema.properties?.["status"] !== undefined;
  return {
    ...standing(name, options),
    schema: { openAPIV3Schema: schema },
    ...(hasStatus || scale
      ? { subresources: { ...(hasStatus ? { status: {} } : {}), ...(scale ? { scale: scaleOf(scale, schema) } : {}) } }
      : {}),
    ...(columns.length > 0 ? { additionalPrinterColumns: printerColumns(columns, schema) } : {}),
    ...(selectable.length > 0 ? { selectableFields: selectableFields(selectable, schema) } : {}),
  };
}

/** Name, and how the server offers it. */
export function standing(
  name: string,
  { served = true, deprecated }: Pick<VersionOptions, "served" | "deprecated">,
): Pick<CrdVersion, "name" | "served" | "deprecated" | "deprecationWarning"> {
  if (typeof deprecated === "string" && (deprecated.length > 256 || /\p{C}/u.test(deprecated))) {
    throw new InvalidResource("deprecated", "a warning that is not one line", "write at most 256 printable characters");
  }
  return {
    name: versionName(name),
    served,
    ...(deprecated ? { deprecated: true } : {}),
    ...(typeof deprecated === "string" && deprecated !== "" ? { deprecationWarning: deprecated } : {}),
  };
}

export function schemaOf(crd: Version["crd"]): StructuralSchema {
  return crd.schema.openAPIV3Schema;
}

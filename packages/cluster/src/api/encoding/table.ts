import type { JsonObject } from "pintle/kinds";
import { badRequest, fieldError, formatFieldError } from "../../status/index.ts";
import type { ServedResource } from "../registry/served-resource.ts";
import { getQueryParameter, type QueryParameters } from "../request/api-request.ts";
import { toPartialObjectMetadata } from "./partial-metadata.ts";

export type IncludeObject = "" | "None" | "Metadata" | "Object";

export function parseIncludeObject(query: QueryParameters): IncludeObject {
  const value = getQueryParameter(query, "includeObject");
  if (value !== "" && value !== "None" && value !== "Metadata" && value !== "Object") {
    const error = fieldError.invalid("includeObject", value, "must be 'Metadata', 'Object', 'None', or empty");
    throw badRequest(`Unable to convert to Table as requested: ${formatFieldError(error)}`);
  }
  return value;
}

export interface TableOptions {
  readonly version: "v1" | "v1beta1";
  readonly includeObject: IncludeObject;
  readonly includeColumns: boolean;
  /** Milliseconds since the epoch, for the ages in cells. */
  readonly now: number;
}

export function buildTable(
  resource: ServedResource,
  objects: readonly JsonObject[],
  metadata: JsonObject,
  style: TableOptions,
): JsonObject {
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${style.version}`,
    metadata,
    // null, not missing: a watch sends its columns once, and clients keep them.
    columnDefinitions: style.includeColumns ? (resource.table.columns as unknown as readonly JsonObject[]) : null,
    rows: sortRows(objects, (object) => object, resource).map((object) => ({
      ...buildRow(resource, object, style),
      object:
        style.includeObject === "None" ? null : style.includeObject === "Object" ? object : toPartialObjectMetadata(object, style.version),
    })),
  };
}

/** Sorts rows in the order of the kind. */
export function sortRows<T>(
  rows: readonly T[],
  objectOf: (row: T) => JsonObject,
  { table: { compareRows } }: ServedResource,
): readonly T[] {
  return compareRows === undefined ? rows : [...rows].sort((a, b) => compareRows(objectOf(a), objectOf(b)));
}

/** Builds a row without its object. */
export function buildRow({ table }: ServedResource, object: JsonObject, { now }: Pick<TableOptions, "now">): JsonObject {
  const conditions = table.rowConditions?.(object) ?? [];
  return { cells: table.cells(object, now), ...(conditions.length === 0 ? {} : { conditions }) };
}

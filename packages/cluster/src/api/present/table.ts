import type { JsonObject } from "pintle/kinds";
import { badRequest, fieldError, fieldErrorText } from "../../status/index.ts";
import { param, type Query } from "../request.ts";
import type { ServedResource } from "../resource.ts";
import { partialMetadata } from "./partial.ts";

export type IncludeObject = "" | "None" | "Metadata" | "Object";

export function includeObject(query: Query): IncludeObject {
  const value = param(query, "includeObject");
  if (value !== "" && value !== "None" && value !== "Metadata" && value !== "Object") {
    const error = fieldError.invalid("includeObject", value, "must be 'Metadata', 'Object', 'None', or empty");
    throw badRequest(`Unable to convert to Table as requested: ${fieldErrorText(error)}`);
  }
  return value;
}

export interface TableStyle {
  readonly version: "v1" | "v1beta1";
  readonly include: IncludeObject;
  readonly headers: boolean;
  /** Milliseconds since the epoch: ages are counted from here. */
  readonly now: number;
}

export function table(resource: ServedResource, objects: readonly JsonObject[], metadata: JsonObject, style: TableStyle): JsonObject {
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${style.version}`,
    metadata,
    // null, not missing: a watch says its columns once, and clients keep the last they saw.
    columnDefinitions: style.headers ? (resource.table.columns as unknown as readonly JsonObject[]) : null,
    rows: inOrder(objects, (object) => object, resource).map((object) => ({
      ...row(resource, object, style),
      object: style.include === "None" ? null : style.include === "Object" ? object : partialMetadata(object, style.version),
    })),
  };
}

/** As its kind wants to be read. */
export function inOrder<T>(rows: readonly T[], objectOf: (row: T) => JsonObject, { table: { order } }: ServedResource): readonly T[] {
  return order === undefined ? rows : [...rows].sort((a, b) => order(objectOf(a), objectOf(b)));
}

/** A row without the object it is about. */
export function row({ table }: ServedResource, object: JsonObject, { now }: Pick<TableStyle, "now">): JsonObject {
  const conditions = table.conditions?.(object) ?? [];
  return { cells: table.cells(object, now), ...(conditions.length === 0 ? {} : { conditions }) };
}

import type { JsonObject, Shape } from "pintle/kinds";
import { type Comparison, compare, type FieldSet, recursiveDifference, union } from "pintle/merge";
import { remembered } from "./remembered.ts";

/** An object in one version, with the shape it has there. */
export interface Versioned {
  readonly object: JsonObject;
  readonly shape: Shape;
}
/** An object of one version in another; undefined when there is no such version (any more). */
export type Convert = (object: JsonObject, apiVersion: string) => Versioned | undefined;

/** Everything that ownership needs to know about a kind and the version of a request. */
export interface Schema {
  readonly apiVersion: string;
  readonly shape: Shape;
  /** What an object of the kind is before anybody wrote a field: structs that are always there, say. Nothing for custom resources. */
  readonly blank?: JsonObject | undefined;
  /** Fields that the endpoint takes from the stored object whatever is sent, like status: nobody gets them here. */
  readonly resetFields?: FieldSet | undefined;
  /** Only for kinds with several versions that differ. */
  readonly convert?: Convert | undefined;
}

export function inVersion(object: JsonObject, apiVersion: string, schema: Schema): Versioned | undefined {
  if (schema.convert === undefined || apiVersion === schema.apiVersion) return { object, shape: schema.shape };
  return schema.convert(object, apiVersion);
}

/** What changed, as owners care: `taken` has new values, `removed` is gone. */
export interface Changes {
  readonly taken: FieldSet;
  readonly removed: FieldSet;
}

/** Compares two states of an object in any version, each at most once; undefined for a version that is gone. */
export function changesIn(before: JsonObject, after: JsonObject, schema: Schema): (apiVersion: string) => Changes | undefined {
  const seen = new Map<string, Changes | undefined>();
  return (apiVersion) => {
    const version = schema.convert === undefined ? schema.apiVersion : apiVersion;
    if (!seen.has(version)) seen.set(version, changesAt(before, after, version, schema));
    return seen.get(version);
  };
}

function changesAt(before: JsonObject, after: JsonObject, apiVersion: string, schema: Schema): Changes | undefined {
  const left = inVersion(before, apiVersion, schema);
  const right = inVersion(after, apiVersion, schema);
  if (left === undefined || right === undefined) return undefined;
  const { added, modified, removed }: Comparison = compare(left.object, right.object, right.shape);
  return { taken: effective(both(modified, added), schema), removed: effective(removed, schema) };
}

const both = remembered(union);
const without = remembered(recursiveDifference);

/** Without what the endpoint resets. */
export function effective(set: FieldSet, { resetFields }: Schema): FieldSet {
  return resetFields === undefined ? set : without(set, resetFields);
}

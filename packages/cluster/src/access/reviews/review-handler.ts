import { encodeGoJson } from "pintle/internal/go-format";
import type { JsonObject } from "pintle/kinds";
import type { ServedResource } from "../../api/index.ts";
import { type ApiError, type FieldError, invalid, VerbatimValue } from "../../status/index.ts";

/** Handles the creation of a review: returns the object with its status. */
export type ReviewHandler = NonNullable<ServedResource["evaluateReview"]>;

/** The 422 of a review; upstream omits the kind in its message. */
export function invalidReview(errors: readonly FieldError[]): ApiError {
  return invalid({ group: "authorization.k8s.io", resource: "" }, "", errors);
}

const FIELDS = ["name", "generateName", "namespace", "labels", "annotations", "ownerReferences", "finalizers", "managedFields"];
const MAPS = new Set(["labels", "annotations"]);

/** Formats metadata for an error, fields in declaration order; undefined if it contains only fields that the server sets. */
export function formatUnexpectedMetadata({ metadata }: JsonObject, allowed: readonly string[]): VerbatimValue | undefined {
  const fields = (metadata ?? {}) as JsonObject;
  const expected = new Set(["managedFields", ...allowed]);
  if (Object.keys(fields).every((field) => expected.has(field))) return undefined;
  const text = (field: string) => (MAPS.has(field) ? encodeGoJson(fields[field]) : JSON.stringify(fields[field]));
  return new VerbatimValue(`{${FIELDS.flatMap((field) => (field in fields ? [`"${field}":${text(field)}`] : [])).join(",")}}`);
}

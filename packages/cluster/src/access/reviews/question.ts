import type { JsonObject } from "pintle/kinds";
import type { ServedResource } from "../../api/index.ts";
import { type ApiError, type FieldError, goJson, invalid, Verbatim } from "../../status/index.ts";

/** Answers a question: the object that was sent, with its status. */
export type Ask = NonNullable<ServedResource["ask"]>;

/** Questions of the group are refused without the name of their kind. */
export function refused(errors: readonly FieldError[]): ApiError {
  return invalid({ group: "authorization.k8s.io", resource: "" }, "", errors);
}

const FIELDS = ["name", "generateName", "namespace", "labels", "annotations", "ownerReferences", "finalizers", "managedFields"];
const MAPS = new Set(["labels", "annotations"]);

/** Metadata as a refusal prints it, its fields in their declared order; undefined when there is nothing but what the server put there. */
export function unexpectedMetadata({ metadata }: JsonObject, allowed: readonly string[]): Verbatim | undefined {
  const given = (metadata ?? {}) as JsonObject;
  const expected = new Set(["managedFields", ...allowed]);
  if (Object.keys(given).every((field) => expected.has(field))) return undefined;
  const text = (field: string) => (MAPS.has(field) ? goJson(given[field]) : JSON.stringify(given[field]));
  return new Verbatim(`{${FIELDS.flatMap((field) => (field in given ? [`"${field}":${text(field)}`] : [])).join(",")}}`);
}

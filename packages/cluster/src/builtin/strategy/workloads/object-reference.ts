import type { CrossVersionObjectReference } from "pintle/kinds/autoscaling/v2";
import { fieldError, validatePathSegment } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { createInvalidErrors, type FieldErrors, validateRequired } from "../../validation/validators.ts";

export type ObjectReference = Unvalidated<CrossVersionObjectReference> | null | undefined;

/** Which apiVersion a reference may have: one of a group, also one of the core group, or anything because it was stored before. */
export type ReferenceRule = "group" | "any group" | "unchecked";

export function* validateObjectReference(field: string, reference: ObjectReference, rule: ReferenceRule): FieldErrors {
  const { kind, name, apiVersion } = reference ?? {};
  for (const [part, value] of Object.entries({ kind, name })) {
    yield* validateRequired(`${field}.${part}`, value);
    if (value) yield* createInvalidErrors(`${field}.${part}`, value, validatePathSegment(value));
  }
  const problem = findApiVersionProblem(apiVersion ?? "", rule);
  if (problem !== undefined) yield fieldError.invalid(`${field}.apiVersion`, apiVersion ?? "", problem);
}

export function findApiVersionProblem(apiVersion: string, rule: ReferenceRule): string | undefined {
  if (rule === "unchecked") return undefined;
  const [group, ...rest] = apiVersion.split("/");
  if (rest.length > 1) return `unexpected GroupVersion string: ${apiVersion}`;
  return rule === "group" && (rest.length === 0 || group === "") ? "apiVersion must specify API group" : undefined;
}

import { isEmptyLabelSelector, type Labels, matchesLabelSelector } from "pintle/internal/selectors";
import type { LabelSelector, LabelSelectorRequirement } from "pintle/kinds";
import { fieldError, validateLabelValue, validateQualifiedName } from "../../status/index.ts";
import type { Unvalidated } from "../draft.ts";
import { createInvalidErrors, type FieldErrors, validateQualifiedNameField } from "./validators.ts";

type StringMap = Readonly<Record<string, string | null | undefined>> | null | undefined;
export type UnvalidatedSelector = Unvalidated<LabelSelector> | null | undefined;
const ANNOTATIONS_LIMIT = 256 * 1024;

/** Sorts the entries by key; the order of kube-apiserver is that of a Go map and thus random. */
const sortEntries = (map: StringMap) => (map == null ? [] : Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));

export function* validateLabels(field: string, map: StringMap): FieldErrors {
  for (const [key, value] of sortEntries(map)) {
    yield* validateQualifiedNameField(field, key);
    yield* createInvalidErrors(field, value, validateLabelValue(value ?? ""));
  }
}

export function* validateAnnotations(field: string, map: StringMap): FieldErrors {
  let size = 0;
  for (const [key, value] of sortEntries(map)) {
    yield* createInvalidErrors(field, key, validateQualifiedName(key.toLowerCase()));
    size += Buffer.byteLength(key) + Buffer.byteLength(value ?? "");
  }
  if (size > ANNOTATIONS_LIMIT) yield fieldError.tooLong(field, ANNOTATIONS_LIMIT);
}

export function* validateLabelSelector(field: string, selector: UnvalidatedSelector): FieldErrors {
  if (!selector) return;
  yield* validateLabels(`${field}.matchLabels`, selector.matchLabels);
  for (const [i, requirement] of (selector.matchExpressions ?? []).entries()) {
    yield* validateSelectorRequirement(`${field}.matchExpressions[${i}]`, requirement);
  }
}

function* validateSelectorRequirement(field: string, { key, operator, values }: Unvalidated<LabelSelectorRequirement>): FieldErrors {
  switch (operator) {
    case "In":
    case "NotIn":
      if (!values?.length) yield fieldError.required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
      break;
    case "Exists":
    case "DoesNotExist":
      if (values?.length) {
        yield fieldError.forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      }
      break;
    default:
      yield fieldError.invalid(`${field}.operator`, operator ?? "", "not a valid selector operator");
  }
  yield* validateQualifiedNameField(`${field}.key`, key ?? "");
  for (const [i, value] of (values ?? []).entries()) yield* createInvalidErrors(`${field}.values[${i}]`, value, validateLabelValue(value));
}

export function isEmptySelector(selector: UnvalidatedSelector): boolean {
  return isEmptyLabelSelector(toLabelSelector(selector));
}

/** Returns whether labels match a valid selector. */
export function matchesSelector(selector: UnvalidatedSelector, labels: StringMap): boolean {
  return matchesLabelSelector(toLabelSelector(selector), (labels ?? {}) as Labels);
}

/** The null lists and maps of an object that is not validated yet mean that the field is absent. */
export function toLabelSelector(selector: UnvalidatedSelector): LabelSelector {
  const { matchLabels, matchExpressions } = selector ?? {};
  return { matchLabels: matchLabels ?? undefined, matchExpressions: matchExpressions?.map(withoutNullValues) } as LabelSelector;
}

function withoutNullValues({ values, ...requirement }: Unvalidated<LabelSelectorRequirement>) {
  return { ...requirement, values: values ?? undefined };
}

import type { LabelSelector, LabelSelectorRequirement } from "pintle/kinds";
import { fieldError, labelValueProblems, qualifiedNameProblems } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { invalidFor, type Problems, qualifiedName } from "./problems.ts";

type Texts = Readonly<Record<string, string | null | undefined>> | null | undefined;
type Selector = Loose<LabelSelector> | null | undefined;
const ANNOTATIONS_LIMIT = 256 * 1024;

/** Keys in order, as the server goes through them; it does not say which order that is, so ours is the alphabet's. */
const sorted = (map: Texts) => (map == null ? [] : Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));

export function* labels(field: string, map: Texts): Problems {
  for (const [key, value] of sorted(map)) {
    yield* qualifiedName(field, key);
    yield* invalidFor(field, value, labelValueProblems(value ?? ""));
  }
}

export function* annotations(field: string, map: Texts): Problems {
  let size = 0;
  for (const [key, value] of sorted(map)) {
    yield* invalidFor(field, key, qualifiedNameProblems(key.toLowerCase()));
    size += Buffer.byteLength(key) + Buffer.byteLength(value ?? "");
  }
  if (size > ANNOTATIONS_LIMIT) yield fieldError.tooLong(field, ANNOTATIONS_LIMIT);
}

export function* labelSelector(field: string, selector: Selector): Problems {
  if (!selector) return;
  yield* labels(`${field}.matchLabels`, selector.matchLabels);
  for (const [i, requirement] of (selector.matchExpressions ?? []).entries()) {
    yield* selectorRequirement(`${field}.matchExpressions[${i}]`, requirement);
  }
}

function* selectorRequirement(field: string, { key, operator, values }: Loose<LabelSelectorRequirement>): Problems {
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
  yield* qualifiedName(`${field}.key`, key ?? "");
  for (const [i, value] of (values ?? []).entries()) yield* invalidFor(`${field}.values[${i}]`, value, labelValueProblems(value));
}

export function isEmptySelector(selector: Selector): boolean {
  return Object.keys(selector?.matchLabels ?? {}).length === 0 && !selector?.matchExpressions?.length;
}

/** Whether labels satisfy a selector. */
export function selects(selector: Selector, map: Texts): boolean {
  const value = (key: string | null | undefined) => map?.[key ?? ""] ?? undefined;
  const equalities = Object.entries(selector?.matchLabels ?? {}).every(([key, wanted]) => value(key) === wanted);
  return (
    equalities &&
    (selector?.matchExpressions ?? []).every(({ key, operator, values }) => {
      const found = value(key);
      if (operator === "Exists") return found !== undefined;
      if (operator === "DoesNotExist") return found === undefined;
      const listed = found !== undefined && (values ?? []).includes(found);
      return operator === "In" ? listed : !listed;
    })
  );
}

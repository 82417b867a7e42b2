import type { JsonObject } from "pintle/kinds";
import { badRequest } from "../../status/index.ts";
import { getMetadata } from "../metadata/object-meta.ts";
import type { ResourceStrategy } from "../registry/served-resource.ts";

export interface FieldRequirement {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}
export type FieldSelector = readonly FieldRequirement[];

/** Parses `a=b,c!=d`, with backslash before a literal `,`, `=` or `\`. Throws 400. */
export function parseFieldSelector(text: string): FieldSelector {
  return splitRequirements(text)
    .filter((term) => term !== "")
    .map((term) => {
      const parsed = parseRequirement(term);
      if (parsed === undefined) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
      if (typeof parsed === "string") throw badRequest(`invalid field selector: ${parsed}`);
      return parsed;
    })
    .filter(({ field, value }) => field !== "" || value !== "");
}

/** Parses a selector for authorization, which comes before validation; undefined if it cannot be parsed. */
export function tryParseFieldSelector(text: string): FieldSelector | undefined {
  if (text === "") return [];
  const terms = splitRequirements(text).filter((term) => term !== "");
  const parsed = terms.map(parseRequirement).filter((term): term is FieldRequirement => typeof term === "object");
  return parsed.length === terms.length ? parsed : undefined;
}

/** Returns the name that a selector requires; undefined if it requires none. */
export function findRequiredName(selector: FieldSelector): string | undefined {
  return selector.find(({ field, equal }) => field === "metadata.name" && equal)?.value;
}

/** Creates a predicate for the selectable fields of a resource. Throws 400 for another field. */
export function createFieldMatcher(
  selector: FieldSelector,
  kind: { readonly strategy: Pick<ResourceStrategy, "selectableFields"> },
): (object: JsonObject) => boolean {
  const own = kind.strategy.selectableFields;
  const tests = selector.map(({ field, equal, value }) => {
    const read = getFieldReader(field, own);
    return (object: JsonObject) => (read(object) === value) === equal;
  });
  return (object) => tests.every((test) => test(object));
}

function getFieldReader(field: string, own: ResourceStrategy["selectableFields"]): (object: JsonObject) => string {
  if (field === "metadata.name") return (object) => getMetadata(object).name ?? "";
  if (field === "metadata.namespace") return (object) => getMetadata(object).namespace ?? "";
  if (own !== undefined && Object.hasOwn(own, field)) return own[field] as (object: JsonObject) => string;
  throw badRequest(
    own === undefined
      ? `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`
      : `field label not supported: ${field}`,
  );
}

function splitRequirements(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === ",") {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

/** Parses one requirement; a string is the problem with its value. */
function parseRequirement(term: string): FieldRequirement | string | undefined {
  for (let at = 0; at < term.length; at++) {
    for (const operator of ["!=", "==", "="]) {
      if (!term.startsWith(operator, at)) continue;
      const value = unescapeValue(term.slice(at + operator.length));
      return typeof value === "string" ? value : { field: term.slice(0, at), equal: operator !== "!=", value: value.text };
    }
  }
  return undefined;
}

function unescapeValue(value: string): { readonly text: string } | string {
  let text = "";
  for (let at = 0; at < value.length; at++) {
    const char = value[at] as string;
    if (char === "\\") {
      const next = value[++at];
      if (next !== "\\" && next !== "," && next !== "=") return `invalid escape sequence: \\${next ?? ""}`;
      text += next;
    } else if (char === "," || char === "=") return `unescaped character in value: ${char.charCodeAt(0)}`;
    else text += char;
  }
  return { text };
}

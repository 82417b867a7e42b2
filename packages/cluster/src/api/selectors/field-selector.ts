import type { JsonObject } from "pintle/kinds";
import { badRequest } from "../../status/index.ts";
import { metadataOf } from "../metadata/metadata.ts";
import type { Strategy } from "../resource.ts";

export interface FieldTerm {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}
export type FieldSelector = readonly FieldTerm[];

/** `a=b,c!=d`, with backslash before a literal `,`, `=` or `\`; throws 400. */
export function parseFieldSelector(text: string): FieldSelector {
  return splitTerms(text)
    .filter((term) => term !== "")
    .map((term) => {
      const parsed = parseTerm(term);
      if (parsed === undefined) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
      if (typeof parsed === "string") throw badRequest(`invalid field selector: ${parsed}`);
      return parsed;
    })
    .filter(({ field, value }) => field !== "" || value !== "");
}

/** The one name a selector asks for, if it does; undefined also when the text makes no sense. */
export function requiredName(text: string): string | undefined {
  if (text === "") return undefined;
  const terms = splitTerms(text).map(parseTerm);
  return terms.find((term): term is FieldTerm => typeof term === "object" && term.field === "metadata.name" && term.equal)?.value;
}

/** A predicate for a resource's own fields; throws 400 for a field it does not offer. */
export function fieldMatcher(
  selector: FieldSelector,
  kind: { readonly strategy: Pick<Strategy, "selectableFields"> },
): (object: JsonObject) => boolean {
  const own = kind.strategy.selectableFields;
  const tests = selector.map(({ field, equal, value }) => {
    const read = readerOf(field, own);
    return (object: JsonObject) => (read(object) === value) === equal;
  });
  return (object) => tests.every((test) => test(object));
}

function readerOf(field: string, own: Strategy["selectableFields"]): (object: JsonObject) => string {
  if (field === "metadata.name") return (object) => metadataOf(object).name ?? "";
  if (field === "metadata.namespace") return (object) => metadataOf(object).namespace ?? "";
  if (own !== undefined && Object.hasOwn(own, field)) return own[field] as (object: JsonObject) => string;
  throw badRequest(
    own === undefined
      ? `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`
      : `field label not supported: ${field}`,
  );
}

function splitTerms(text: string): string[] {
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

/** A text says what is wrong with the value. */
function parseTerm(term: string): FieldTerm | string | undefined {
  for (let at = 0; at < term.length; at++) {
    for (const operator of ["!=", "==", "="]) {
      if (!term.startsWith(operator, at)) continue;
      const value = unescaped(term.slice(at + operator.length));
      return typeof value === "string" ? value : { field: term.slice(0, at), equal: operator !== "!=", value: value.text };
    }
  }
  return undefined;
}

function unescaped(value: string): { readonly text: string } | string {
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

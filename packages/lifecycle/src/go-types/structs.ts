import { GO_STRUCTS } from "./generated.ts";

/** A field of a Go struct. */
export interface GoField {
  readonly name: string;
  readonly type: string;
  /** When the field is left out of JSON: `empty` as for omitempty, `zero` as for omitzero. */
  readonly omit: "empty" | "zero" | undefined;
}

const parsed = new Map<string, readonly GoField[]>();

/** The fields of a struct, in Go's order; undefined if `type` is no struct. */
export function fieldsOf(type: string): readonly GoField[] | undefined {
  const known = parsed.get(type);
  if (known !== undefined) return known;
  const text = Object.hasOwn(GO_STRUCTS, type) ? GO_STRUCTS[type]! : undefined;
  if (text === undefined) return undefined;
  const fields = text === "" ? [] : text.split("; ").map(parseField);
  parsed.set(type, fields);
  return fields;
}

function parseField(text: string): GoField {
  const space = text.indexOf(" ");
  const tagged = text.slice(0, space);
  const marker = tagged.at(-1);
  const omit = marker === "?" ? "empty" : marker === "!" ? "zero" : undefined;
  return { name: omit === undefined ? tagged : tagged.slice(0, -1), type: text.slice(space + 1), omit };
}

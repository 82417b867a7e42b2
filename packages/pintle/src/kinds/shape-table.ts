import { InternalError } from "../errors/index.ts";
import { type Shape, UNTYPED_SHAPE } from "./shape.ts";

const ATOMIC = { atomic: true } as const;
const STRING: Shape = { scalar: "string" };
const LEAF_SHAPES: Readonly<Record<string, Shape>> = {
  n: { scalar: "number" },
  b: { scalar: "boolean" },
  a: {},
  q: { scalar: "quantity" },
  t: { scalar: "time" },
  m: { scalar: "microTime" },
  i: { scalar: "intOrString" },
  "?": UNTYPED_SHAPE,
  "*": { untyped: true, atomic: true },
};

/**
 * Returns a function that parses shapes by type name, on first use. Shapes are written as text, so that importing a kind costs one string.
 *
 * One line per type, fields in alphabetical order: `Name field field:expression ...`. After the name, `!` means that the
 * type is atomic and `?` that undeclared fields are allowed. A field without expression is a string. Expressions:
 *
 *     n b a          number, boolean, any scalar
 *     q t m i        quantity, time, microTime, intOrString
 *     ?  *           undeclared: maps granular; the same, owned as a whole
 *     Name           a struct of this table
 *     {x}            a map of x
 *     [x]  [x]+      an atomic list, a set
 *     [x]#a=v,b:1,c  a list keyed by a, b and c; a defaults to "v", b to the JSON value 1
 *     ...!  ...~     atomic, granular: overrides what the struct or map declares
 *     .../s,s/key    strategic merge patch: its strategies and its merge key
 *
 * Anything but letters, digits and `$_.-` inside a name or value is percent-encoded.
 *
 * @example
 * ```ts
 * import { parseShapeTable } from "pintle/kinds";
 *
 * const shapes = parseShapeTable("Widget metadata:Meta spec:Spec\nMeta name\nSpec replicas:n");
 * console.log(shapes("Widget").fields?.["spec"]);
 * ```
 */
export function parseShapeTable(text: string): (type: string) => Shape {
  let lines: Map<string, string> | undefined;
  const structs = new Map<string, Shape>();
  return (type) => parseStruct(type);

  function parseStruct(name: string): Shape {
    const known = structs.get(name);
    if (known !== undefined) return known;
    lines ??= new Map(text.split("\n").map((line) => [/^\w*/.exec(line)![0], line] as const));
    const line = lines.get(name);
    if (line === undefined) throw new InternalError(`no shape is known for the type ${name}`);
    const [head, ...words] = line.split(" ");
    const fields: Record<string, Shape> = {};
    const shape: Shape = { fields, ...(head!.includes("!") ? ATOMIC : {}), ...(head!.includes("?") ? { values: UNTYPED_SHAPE } : {}) };
    // Registered before its fields, so that a type may contain itself.
    structs.set(name, shape);
    for (const word of words) {
      const colon = word.indexOf(":");
      if (colon < 0) fields[decodeURIComponent(word)] = STRING;
      else fields[decodeURIComponent(word.slice(0, colon))] = parseExpression(word, colon + 1).shape;
    }
    return shape;
  }

  function parseExpression(word: string, start: number): { readonly shape: Shape; readonly end: number } {
    const base = parseTerm(word, start);
    let shape = base.shape;
    let end = base.end;
    if (word[end] === "!") {
      shape = { ...shape, ...ATOMIC };
      end++;
    } else if (word[end] === "~") {
      shape = { ...shape, atomic: false };
      end++;
    }
    if (word[end] === "/") {
      const [, strategies = "", mergeKey] = word.slice(end).split("/");
      const strategy = strategies.split(",");
      shape = { ...shape, patch: mergeKey === undefined ? { strategy } : { strategy, mergeKey } };
      end = word.length;
    }
    return { shape, end };
  }

  function parseTerm(word: string, at: number): { readonly shape: Shape; readonly end: number } {
    const opening = word[at];
    if (opening === "{") {
      const inner = parseExpression(word, at + 1);
      return { shape: { values: inner.shape }, end: inner.end + 1 };
    }
    if (opening === "[") {
      const inner = parseExpression(word, at + 1);
      return parseList(word, inner.end + 1, inner.shape);
    }
    const name = /[A-Z]\w*/y;
    name.lastIndex = at;
    const found = name.exec(word);
    if (found !== null) return { shape: parseStruct(found[0]), end: at + found[0].length };
    const leaf = LEAF_SHAPES[opening ?? ""];
    return leaf === undefined ? { shape: STRING, end: at } : { shape: leaf, end: at + 1 };
  }
}

function parseList(word: string, at: number, items: Shape): { readonly shape: Shape; readonly end: number } {
  if (word[at] === "+") return { shape: { items, list: "set" }, end: at + 1 };
  if (word[at] !== "#") return { shape: { items, list: "atomic" }, end: at };
  const keyed = /#([^/\]}!~]*)/y;
  keyed.lastIndex = at;
  const text = keyed.exec(word)![1]!;
  const keys: string[] = [];
  const keyDefaults: Record<string, string | number | boolean> = {};
  for (const part of text.split(",")) {
    const mark = part.search(/[=:]/);
    const key = decodeURIComponent(mark < 0 ? part : part.slice(0, mark));
    keys.push(key);
    if (mark < 0) continue;
    const value = decodeURIComponent(part.slice(mark + 1));
    keyDefaults[key] = part[mark] === "=" ? value : JSON.parse(value);
  }
  const defaults = Object.keys(keyDefaults).length === 0 ? {} : { keyDefaults };
  return { shape: { items, list: "map", keys, ...defaults }, end: at + 1 + text.length };
}

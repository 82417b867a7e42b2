import { type Shape, UNTYPED } from "./shape.ts";

const ATOMIC = { atomic: true } as const;
const STRING: Shape = { scalar: "string" };
const LEAVES: Readonly<Record<string, Shape>> = {
  n: { scalar: "number" },
  b: { scalar: "boolean" },
  a: {},
  q: { scalar: "quantity" },
  t: { scalar: "time" },
  m: { scalar: "microTime" },
  i: { scalar: "intOrString" },
  "?": UNTYPED,
  "*": { untyped: true, atomic: true },
};

/**
 * Shapes as text, so that importing a kind costs one string; a kind's shapes are built and linked when first asked for.
 *
 * One line per type, fields in alphabetical order: `Name field field:expression ...`. After the name, `!` means the
 * whole is atomic and `?` that undeclared fields are allowed. A field without expression is a string. Expressions:
 *
 *     n b a          number, boolean, any scalar
 *     q t m i        quantity, time, microTime, intOrString
 *     ?  *           undeclared: maps granular; the same, owned as a whole
 *     Name           a struct of this table
 *     {x}            a map of x
 *     [x]  [x]+      an atomic list, a set
 *     [x]#a=v,b:1,c  a list keyed by a, b and c; a defaults to "v", b to the JSON value 1
 *     ...!  ...~     atomic, granular: against what the struct or map itself says
 *     .../s,s/key    strategic merge patch: its strategies and its merge key
 *
 * Anything but letters, digits and `$_.-` inside a name or value is percent-encoded.
 */
export function shapeTable(text: string): (type: string) => Shape {
  let lines: Map<string, string> | undefined;
  const structs = new Map<string, Shape>();
  return (type) => struct(type);

  function struct(name: string): Shape {
    const known = structs.get(name);
    if (known !== undefined) return known;
    lines ??= new Map(text.split("\n").map((line) => [/^\w*/.exec(line)![0], line] as const));
    const line = lines.get(name);
    if (line === undefined) throw new Error(`No shape is known for the type ${name}`);
    const [head, ...words] = line.split(" ");
    const fields: Record<string, Shape> = {};
    const shape: Shape = { fields, ...(head!.includes("!") ? ATOMIC : {}), ...(head!.includes("?") ? { values: UNTYPED } : {}) };
    // Known before its fields are, so that a type may contain itself.
    structs.set(name, shape);
    for (const word of words) {
      const colon = word.indexOf(":");
      if (colon < 0) fields[decodeURIComponent(word)] = STRING;
      else fields[decodeURIComponent(word.slice(0, colon))] = expression(word, colon + 1).shape;
    }
    return shape;
  }

  function expression(word: string, start: number): { readonly shape: Shape; readonly end: number } {
    const base = term(word, start);
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

  function term(word: string, at: number): { readonly shape: Shape; readonly end: number } {
    const opening = word[at];
    if (opening === "{") {
      const inner = expression(word, at + 1);
      return { shape: { values: inner.shape }, end: inner.end + 1 };
    }
    if (opening === "[") {
      const inner = expression(word, at + 1);
      return list(word, inner.end + 1, inner.shape);
    }
    const name = /[A-Z]\w*/y;
    name.lastIndex = at;
    const found = name.exec(word);
    if (found !== null) return { shape: struct(found[0]), end: at + found[0].length };
    const leaf = LEAVES[opening ?? ""];
    return leaf === undefined ? { shape: STRING, end: at } : { shape: leaf, end: at + 1 };
  }
}

function list(word: string, at: number, items: Shape): { readonly shape: Shape; readonly end: number } {
  if (word[at] === "+") return { shape: { items, list: "set" }, end: at + 1 };
  if (word[at] !== "#") return { shape: { items, list: "atomic" }, end: at };
  const keyed = /#([^/\]}!~]*)/y;
  keyed.lastIndex = at;
  const text = keyed.exec(word)![1]!;
  const keys: string[] = [];
  const keyDefaults: Record<string, string | number | boolean> = {};
  for (const part of text.split(",")) {
    const [, key, kind, value] = /^([^=:]*)([=:]?)(.*)$/.exec(part)!.map(decodeURIComponent) as [string, string, string, string];
    keys.push(key);
    if (kind !== "") keyDefaults[key] = kind === "=" ? value : JSON.parse(value);
  }
  const defaults = Object.keys(keyDefaults).length === 0 ? {} : { keyDefaults };
  return { shape: { items, list: "map", keys, ...defaults }, end: at + 1 + text.length };
}

import type { Random } from "pintle/internal/clock";
import { isJsonObject, setOwnProperty } from "pintle/internal/json";
import type { Json } from "pintle/kinds";

export const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const upTo = (random: Random, limit: number) => Math.floor(random() * limit);

/** Tokens that are special to parsers. */
const TOKENS = [
  ...[
    "null",
    "true",
    "{}",
    "[]",
    "{",
    "}",
    "[",
    "]",
    '"',
    ",",
    ":",
    "\\",
    "\\u0000",
    "\\ud800",
    "-",
    "-0",
    "1e999",
    "0.1",
    "9223372036854775808",
  ],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "$patch",
    "$retainKeys",
    "$setElementOrder/a",
    "f:metadata",
    "k:{}",
    "v:1",
    ".",
    "..",
    "/",
    "~1",
    "%",
    "%00",
  ],
  ...["\n", "\t", " ", "- ", ": ", "&a ", "*a", "<<: ", "!!binary ", "---\n", "# ", "|", ">", "=", "!=", "(", ")", " in (", " notin ("],
] as const;

/** Removes, duplicates, changes, swaps or inserts a few bytes. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  let mutated = bytes;
  for (let times = 1 + upTo(random, 4); times > 0; times--) {
    const at = upTo(random, mutated.length + 1);
    const to = Math.min(mutated.length, at + 1 + upTo(random, 16));
    const [head, part, tail] = [mutated.subarray(0, at), mutated.subarray(at, to), mutated.subarray(to)];
    switch (upTo(random, 6)) {
      case 0:
        mutated = Buffer.concat([head, tail]);
        break;
      case 1:
        mutated = Buffer.concat([head, part, part, tail]);
        break;
      case 2:
        mutated = Buffer.concat([head, Buffer.from([upTo(random, 256)]), tail]);
        break;
      case 3:
        mutated = Buffer.concat([head, Buffer.from(pick(random, TOKENS)), part, tail]);
        break;
      case 4:
        mutated = head;
        break;
      default:
        mutated = Buffer.concat([tail, part, head]);
    }
  }
  return mutated;
}

export function mutateText(random: Random, text: string): string {
  return mutateBytes(random, Buffer.from(text)).toString();
}

const VALUES: readonly Json[] = [
  ...[
    null,
    true,
    0,
    -1,
    1.5,
    1e300,
    2 ** 53,
    9223372036854775807n,
    "",
    "x",
    "-",
    "a/b/c",
    "\u0000",
    "é".repeat(300),
    "10Gi",
    "1e400",
    "2020-01-01T00:00:00Z",
  ],
  ...[[], [null], [[]], [1, "a", {}], {}, { "": "" }, { a: null }, { $patch: "delete" }, { name: "x" }],
  JSON.parse('{"__proto__":{"a":1}}') as Json,
];

/** Returns the value with one field changed, removed or added. */
export function mutateValue(random: Random, value: Json): Json {
  if (Array.isArray(value) && value.length > 0 && random() < 0.85) {
    const at = upTo(random, value.length);
    return random() < 0.1 ? [...value, value[at] as Json] : value.with(at, mutateValue(random, value[at] as Json));
  }
  if (isJsonObject(value) && random() < 0.85) {
    const keys = Object.keys(value);
    if (keys.length === 0 || random() < 0.1) return setField(value, pick(random, TOKENS), pick(random, VALUES));
    const key = pick(random, keys);
    if (random() < 0.1) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)) as Json;
    return setField(value, key, mutateValue(random, value[key] as Json));
  }
  return pick(random, VALUES);
}

function setField(value: { readonly [key: string]: Json | undefined }, key: string, field: Json): Json {
  const copy: Record<string, Json | undefined> = { ...value };
  setOwnProperty<Json | undefined>(copy, key, field);
  return copy;
}

import { isObject, type Json, setOwn } from "pintle/kinds";
import type { Random } from "pintle/queue";

export const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const upTo = (random: Random, limit: number) => Math.floor(random() * limit);

/** What breaks parsers. */
const WORDS = [
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

/** A few bytes gone, doubled, changed, swapped or put in. */
export function spoiltBytes(random: Random, bytes: Buffer): Buffer {
  let spoilt = bytes;
  for (let times = 1 + upTo(random, 4); times > 0; times--) {
    const at = upTo(random, spoilt.length + 1);
    const to = Math.min(spoilt.length, at + 1 + upTo(random, 16));
    const [head, part, tail] = [spoilt.subarray(0, at), spoilt.subarray(at, to), spoilt.subarray(to)];
    switch (upTo(random, 6)) {
      case 0:
        spoilt = Buffer.concat([head, tail]);
        break;
      case 1:
        spoilt = Buffer.concat([head, part, part, tail]);
        break;
      case 2:
        spoilt = Buffer.concat([head, Buffer.from([upTo(random, 256)]), tail]);
        break;
      case 3:
        spoilt = Buffer.concat([head, Buffer.from(pick(random, WORDS)), part, tail]);
        break;
      case 4:
        spoilt = head;
        break;
      default:
        spoilt = Buffer.concat([tail, part, head]);
    }
  }
  return spoilt;
}

export function spoiltText(random: Random, text: string): string {
  return spoiltBytes(random, Buffer.from(text)).toString();
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

/** The same value with one place in it holding something else, or holding nothing, or a place that was not there. */
export function spoiltValue(random: Random, value: Json): Json {
  if (Array.isArray(value) && value.length > 0 && random() < 0.85) {
    const at = upTo(random, value.length);
    return random() < 0.1 ? [...value, value[at] as Json] : value.with(at, spoiltValue(random, value[at] as Json));
  }
  if (isObject(value) && random() < 0.85) {
    const keys = Object.keys(value);
    if (keys.length === 0 || random() < 0.1) return changed(value, pick(random, WORDS), pick(random, VALUES));
    const key = pick(random, keys);
    if (random() < 0.1) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)) as Json;
    return changed(value, key, spoiltValue(random, value[key] as Json));
  }
  return pick(random, VALUES);
}

function changed(value: { readonly [key: string]: Json | undefined }, key: string, field: Json): Json {
  const copy: Record<string, Json | undefined> = { ...value };
  setOwn<Json | undefined>(copy, key, field);
  return copy;
}

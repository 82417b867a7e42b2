import * as p from "pintle/internal/resource";
import * as z from "zod";

type Schema = z.ZodType;

/** Returns a generator of numbers in [0, 1); the same seed gives the same sequence. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const NAMES = ["a", "b", "c-d", "e.f", "metadata", "kind", "spec", "items", "$x", "a b", "default", "__p", "0", "type", "properties", ""];
const PATTERNS = [
  /^a/,
  /(a|b)*c?$/i,
  /[\w-]+\.[^\]]/,
  /\u00e9/,
  /(?:x{3}){4}/,
  /a(?!b)/,
  /(?<n>a)\b/,
  /\p{L}+/u,
  /[\d-x]/,
  /(a{40}){30}/,
  /\0[\b]/,
];
const VALUES = ["", "a", "1h", "10.0.0.1", "2020-01-01", 1, 0, -1.5, true, [], ["a", "a"], {}, { a: 1 }, { name: "x" }, { a: "a", b: 1 }];

/** Builds a random shape from every schema constructor, valid or not. */
export function randomShape(next: () => number): z.ZodObject {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)]!;
  const chance = (likely: number) => next() < likely;

  const text = (): Schema => {
    let schema = z.string();
    if (chance(0.3)) schema = schema.min(pick([0, 1, 5]));
    if (chance(0.3)) schema = schema.max(pick([0, 3, 100]));
    if (chance(0.5)) schema = schema.regex(pick(PATTERNS));
    return schema;
  };
  const number = (): Schema => {
    let schema: z.ZodNumber = pick([z.int(), z.int32(), z.uint32(), z.float64(), z.float32()]);
    if (chance(0.4)) schema = schema.min(pick([-5, 0, 2.5, 10]));
    if (chance(0.4)) schema = schema.lt(pick([-1, 7, 2.5, 1e21]));
    if (chance(0.2)) schema = schema.multipleOf(pick([2, 0.1]));
    return schema;
  };
  const scalar = (): Schema =>
    pick<() => Schema>([
      text,
      number,
      () => z.boolean(),
      () => z.enum(["a", "b", ""]),
      () => z.literal([1, 2, -3]),
      () => p.quantity(),
      () => p.intOrString(),
      () => p.duration(),
      () => p.timestamp(),
      () => p.stringFormat(pick(["hostname", "uri", "cidr", "k8s-short-name", "isbn", "byte"])),
      () => pick<Schema>([z.email(), z.uuid(), z.url(), z.ipv4(), z.cidrv6(), z.iso.date(), z.ulid(), z.e164(), z.base64url()]),
    ])();
  const composite = (depth: number): Schema =>
    pick<() => Schema>([
      () => z.array(item(depth)),
      () => p.listSet(item(depth)),
      () => p.listMap(object(depth).safeExtend({ name: z.string(), n: z.int().default(1) }), pick(["name", "n"])),
      () => z.record(z.string(), item(depth)),
      () => object(depth),
      () => p.anyObject(),
      () => p.anyValue(),
      () => p.embedded(object(depth)),
      () => p.objectMeta(),
      () => p.atomic(object(depth)),
      () => p.minProperties(z.record(z.string(), item(depth)), 1),
      () => z.looseObject(fields(depth)),
      () => z.discriminatedUnion("t", [taggedObject(depth, "a"), taggedObject(depth, "b")]),
      () => p.exactlyOneOf(z.object({ a: field(depth).optional(), b: field(depth).optional() }), "a", "b"),
    ])();
  const field = (depth: number): Schema => {
    let schema = depth <= 0 || chance(0.45) ? scalar() : composite(depth - 1);
    if (chance(0.1)) schema = p.celRule(schema, pick(["true", "self == self"]), pick([{}, { message: "m" }, { fieldPath: ".a" }]));
    if (chance(0.06)) schema = p.immutable(schema);
    if (chance(0.1)) schema = p.fieldDocs(schema.describe("d"), { title: "t", example: { a: [1] } });
    return chance(0.1) ? schema.nullable() : schema;
  };
  const item = (depth: number) => field(depth);
  const wrapField = (depth: number): Schema => {
    const schema = field(depth);
    if (chance(0.4)) return schema.optional();
    const value = VALUES.filter((one) => schema.safeParse(one).success);
    return value.length > 0 && chance(0.5) ? schema.default(pick(value)) : schema;
  };
  const fields = (depth: number) => Object.fromEntries(Array.from({ length: 1 + next() * 3 }, () => [pick(NAMES), wrapField(depth)]));
  const taggedObject = (depth: number, tag: string) => z.object({ ...fields(depth), t: z.literal(tag) });
  const object = (depth: number): z.ZodObject => z.object(fields(depth));
  return object(3);
}

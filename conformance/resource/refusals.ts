import { anyValue, atLeastOneOf, embedded, exactlyOneOf, format, immutable, listMap, listSet, rule } from "pintle/resource";
import * as z from "zod";
import { one } from "./shape.ts";

/** A shape that no server would take or enforce: where it is refused, and what one is told to write instead. */
export interface Refusal {
  readonly name: string;
  readonly spec: () => z.ZodObject;
  readonly path: string;
  readonly advice: string;
}

const refuse = (name: string, field: () => z.core.$ZodType, advice: string, path = "spec.x"): Refusal => ({
  name,
  spec: () => one(field()),
  path,
  advice,
});

interface Tree {
  readonly child?: Tree | undefined;
}
const Tree: z.ZodType<Tree> = z.lazy(() => z.object({ child: Tree.optional() }));
const Category = z.object({
  get parent() {
    return Category.optional() as z.ZodOptional<z.ZodObject>;
  },
});
const item = z.object({ name: z.string(), other: z.string().optional() });

export const refusals: readonly Refusal[] = [
  refuse("a float without saying so", () => z.number(), "z.int32(), z.int() (int64) or z.float64()"),
  refuse("recursion through lazy", () => Tree, "write anyValue() where it recurs"),
  refuse("recursion through a getter", () => Category, "write anyValue() where it recurs", "spec.x.parent"),
  refuse("a transform", () => z.string().transform(Number), "keep the stored form in the schema and convert it in reconcile"),
  refuse("a preprocess", () => z.preprocess(String, z.string()), "keep the stored form"),
  refuse("a codec", () => z.codec(z.string(), z.int(), { decode: Number, encode: String }), "keep the stored form"),
  refuse("coercion of a number", () => z.coerce.number(), "accept the number as it is written"),
  refuse("coercion of a string", () => z.coerce.string(), "accept the string as it is written"),
  refuse("coercion of a boolean", () => z.coerce.boolean(), "accept the boolean as it is written"),
  refuse("refine", () => z.string().refine((value) => value !== "a"), 'write rule(schema, "<CEL>")'),
  refuse("superRefine on an object", () => z.object({}).superRefine(() => {}), 'write rule(schema, "<CEL>")'),
  refuse("refine on an optional", () => z.string().optional().refine(Boolean), 'write rule(schema, "<CEL>")'),
  refuse("trim", () => z.string().trim(), "accept it as it is written"),
  refuse("a tuple", () => z.tuple([z.string()]), "write an object with named fields, or z.array(...)"),
  refuse("a Map", () => z.map(z.string(), z.string()), "write z.record(z.string(), ...)"),
  refuse("a Set", () => z.set(z.string()), "write listSet(...)"),
  refuse("a Date", () => z.date(), "write time()"),
  refuse("a bigint", () => z.int64(), "write z.int(), which is int64 on the wire"),
  refuse("null alone", () => z.null(), ".nullable()"),
  refuse("undefined", () => z.undefined(), ".optional()"),
  refuse("never", () => z.never(), "leave the field out"),
  refuse("a custom type", () => z.custom<string>(), "use a plain type and rule(...)"),
  refuse("a class", () => z.instanceof(Map), "use a plain type and rule(...)"),
  refuse("catch", () => z.string().catch("a"), "write .default(...)"),
  refuse("an intersection", () => z.intersection(z.object({}), z.object({})), "write a.extend(b.shape)"),
  refuse("a template literal", () => z.templateLiteral(["a", z.string()]), "write z.string().regex(...)"),
  refuse("JSON", () => z.json(), "write anyValue() where it recurs"),
  refuse("lookahead", () => z.string().regex(/^(?!a)/), "RE2 has no lookahead"),
  refuse("lookbehind", () => z.string().regex(/(?<=a)b/), "RE2 has no lookahead and lookbehind"),
  refuse("a back reference", () => z.string().regex(/^(a)\1$/), "RE2 has no back references"),
  refuse("a named back reference", () => z.string().regex(/^(?<a>a)\k<a>$/), "RE2 has no back references"),
  refuse("a flag", () => z.string().regex(/^a$/m), "RE2 has no flag m"),
  refuse("a long repetition", () => z.string().regex(/^a{1001}$/), "more than 1000 repetitions"),
  refuse("nested repetitions", () => z.string().regex(/^((a{20}){6}){9}$/), "more than 1000 repetitions"),
  refuse("an ISO duration", () => z.iso.duration(), "write duration()"),
  refuse("a local datetime", () => z.iso.datetime({ local: true }), "write time()"),
  refuse("a datetime without offsets", () => z.iso.datetime(), "write time()"),
  refuse("a url of one scheme", () => z.url({ protocol: /^https$/ }), "url(self).getScheme()"),
  refuse("a JWT", () => z.jwt(), "write z.string()"),
  refuse("a length that is no count", () => z.string().min(1.5), "write a whole number, 0 or more"),
  refuse("an endless bound", () => z.int().max(Number.POSITIVE_INFINITY), "leave it out"),
  refuse("a fraction as the bound of an integer", () => z.int().min(1.5), "write a whole number"),
  refuse("a bound outside of int32", () => z.int32().max(2 ** 31), "one that the type can reach"),
  refuse("a fraction that whole numbers would pass", () => z.float64().min(2.5), 'rule(schema, "self >= 2.5")'),
  refuse("a multiple of a fraction", () => z.float64().multipleOf(0.1), "count in a smaller unit"),
  refuse("a multiple of nothing", () => z.int().multipleOf(0), "write a number above 0"),
  refuse("a union of scalars", () => z.union([z.string(), z.boolean()]), "write z.discriminatedUnion(...)"),
  refuse(
    "a union of objects",
    () => z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
    "write z.discriminatedUnion(...)",
  ),
  refuse("an exclusive union", () => z.xor([z.string(), z.int()]), "write z.union([...])"),
  refuse(
    "branches that disagree about a field",
    () => z.discriminatedUnion("t", [z.object({ t: z.literal("a"), v: z.string() }), z.object({ t: z.literal("b"), v: z.int() })]),
    "give the branches fields of different names",
    "spec.x.v",
  ),
  refuse(
    "a default in one branch",
    () => z.discriminatedUnion("t", [z.object({ t: z.literal("a"), v: z.string().default("") }), z.object({ t: z.literal("b") })]),
    "make the field optional",
    "spec.x.v",
  ),
  refuse(
    "a rule on one branch",
    () => z.discriminatedUnion("t", [rule(z.object({ t: z.literal("a") }), "true"), z.object({ t: z.literal("b") })]),
    "say it about the whole union",
  ),
  refuse("an open branch", () => z.discriminatedUnion("t", [z.looseObject({ t: z.literal("a") })]), "say it about the whole union"),
  refuse(
    "a discriminator with a default",
    () => z.discriminatedUnion("t", [z.object({ t: z.literal("a").default("a") }), z.object({ t: z.literal("b") })]),
    "make it required",
    "spec.x.t",
  ),
  refuse("a rule on one side of a union", () => z.union([rule(z.int(), "self > 1"), z.string()]), "say it about the whole union"),
  refuse("a format on one side of a union", () => z.union([z.int(), z.ipv6()]), "say it about the whole union"),
  refuse("a float or a string", () => z.union([z.float64(), z.string()]), "write intOrString() or quantity()"),
  refuse("an enum of mixed types", () => z.literal(["a", 1]), "use strings only, integers only or booleans only"),
  refuse("an enum of floats", () => z.literal([0.5]), "use strings only, integers only or booleans only"),
  refuse("an enum that may be null", () => z.enum(["a"]).nullable(), "write .optional()"),
  refuse("a literal null", () => z.literal(["a", null]), "null is .nullable()"),
  refuse("an optional item", () => z.array(z.string().optional()), "leave .optional() or .default() out here", "spec.x[]"),
  refuse(
    "a default for a map's value",
    () => z.record(z.string(), z.string().default("a")),
    "leave .optional() or .default() out here",
    "spec.x[*]",
  ),
  refuse("fixed keys", () => z.record(z.enum(["a", "b"]), z.string()), "write z.object({...}).partial()"),
  refuse("a condition on keys", () => z.record(z.string().min(1), z.string()), 'write rule(schema, "self.all(key, ...)")'),
  refuse("a strict object", () => z.strictObject({}), "write z.object(...)"),
  refuse("a catchall", () => z.object({ a: z.string() }).catchall(z.string()), "put the others into a field of their own"),
  refuse("a default of null", () => z.string().nullable().default(null), "absent says the same"),
  refuse(
    "a default that changes",
    () => z.int().default(() => performance.now() | Math.trunc(Math.random() * 2 ** 30)),
    "a schema has one default for ever",
  ),
  refuse("a default out of bounds", () => z.int().max(3).default(4), "give one that its own schema takes"),
  refuse("a default of the wrong format", () => format("hostname").default("a b"), "give one that its own schema takes"),
  refuse("an empty default for base64", () => z.base64().default(""), "give one that its own schema takes"),
  refuse("a repeated default of a set", () => listSet(z.string()).default(["a", "a"]), "give one that its own schema takes"),
  refuse("a default with unknown fields", () => z.object({ a: z.string() }).default({ a: "b", c: "d" } as { a: string }), "leave them out"),
  refuse(
    "a default that breaks exactlyOneOf",
    () => exactlyOneOf(z.object({ a: z.string().optional(), b: z.string().optional() }), "a", "b").prefault({}),
    "give one that its own schema takes",
  ),
  refuse(
    "a list key that may be absent",
    () => listMap(item, "other" as "name"),
    "make it required, or give it a default",
    "spec.x[].other",
  ),
  refuse("a list key twice", () => listMap(item, "name", "name"), "name it once"),
  refuse("a set of objects that merge", () => listSet(item), "write listMap(item, key), or listSet(atomic(item))", "spec.x[]"),
  refuse("null in a set", () => listSet(z.string().nullable()), "leave .nullable() out", "spec.x[]"),
  refuse("a set of anything", () => listSet(anyValue()), "leave .nullable() out", "spec.x[]"),
  refuse("immutable items of a list without keys", () => z.array(immutable(z.string())), "write listMap(item, key)", "spec.x[]"),
  refuse("immutable items of a set", () => listSet(immutable(z.string())), "write listMap(item, key)", "spec.x[]"),
  refuse("a rule on any value", () => rule(anyValue(), "self == oldSelf"), "CEL needs a type"),
  refuse("a rule about a field that is not there", () => rule(item, "self.nam == ''"), "name, other"),
  refuse("a rule about a field of any type", () => rule(z.object({ any: anyValue() }), "has(self.any)"), "fields that have a type"),
  refuse("a rule without CEL", () => rule(z.string(), " "), "write an expression"),
  refuse("a message of two lines", () => rule(z.string(), "true", { message: "a\nb" }), "write one line"),
  refuse("a long rule without a message", () => rule(z.string(), "self == ''\n|| true"), "add a message"),
  refuse("optionalOldSelf without oldSelf", () => rule(z.string(), "true", { optionalOldSelf: true }), "leave optionalOldSelf out"),
  refuse("a fieldPath that leads nowhere", () => rule(item, "true", { fieldPath: ".nam" }), 'like ".limits.cpu"'),
  refuse("a fieldPath into a list", () => rule(z.object({ a: z.array(z.string()) }), "true", { fieldPath: ".a[0]" }), 'like ".limits.cpu"'),
  refuse("an embedded resource of nothing", () => embedded(z.object({})), "give the embedded object fields, or write embedded()"),
  {
    name: "an embedded object's rule that CEL cannot name",
    spec: () => one(atLeastOneOf(z.object({ "a b": z.string().optional(), c: z.string().optional() }), "a b", "c")),
    path: "a b",
    advice: "rename the field",
  },
];

import {
  anyValue,
  atLeastOneOf,
  celRule,
  embedded,
  exactlyOneOf,
  immutable,
  listMap,
  listSet,
  stringFormat,
} from "pintle/internal/resource";
import * as z from "zod";
import { one } from "./shape.ts";

/** A shape that no server would accept or enforce: the field at which defineResource rejects it, and the advice in the error. */
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
  refuse("recursion through lazy", () => Tree, "use anyValue() where it recurs"),
  refuse("recursion through a getter", () => Category, "use anyValue() where it recurs", "spec.x.parent"),
  refuse("a transform", () => z.string().transform(Number), "declare the stored form and convert it in reconcile"),
  refuse("a preprocess", () => z.preprocess(String, z.string()), "declare the stored form"),
  refuse("a codec", () => z.codec(z.string(), z.int(), { decode: Number, encode: String }), "declare the stored form"),
  refuse("coercion of a number", () => z.coerce.number(), "store the number as the client sends it"),
  refuse("coercion of a string", () => z.coerce.string(), "store the string as the client sends it"),
  refuse("coercion of a boolean", () => z.coerce.boolean(), "store the boolean as the client sends it"),
  refuse("refine", () => z.string().refine((value) => value !== "a"), 'use celRule(schema, "<CEL>")'),
  refuse("superRefine on an object", () => z.object({}).superRefine(() => {}), 'use celRule(schema, "<CEL>")'),
  refuse("refine on an optional", () => z.string().optional().refine(Boolean), 'use celRule(schema, "<CEL>")'),
  refuse("trim", () => z.string().trim(), "store the value as the client sends it"),
  refuse("a tuple", () => z.tuple([z.string()]), "use an object with named fields, or z.array(...)"),
  refuse("a Map", () => z.map(z.string(), z.string()), "use z.record(z.string(), ...)"),
  refuse("a Set", () => z.set(z.string()), "use listSet(...)"),
  refuse("a Date", () => z.date(), "use timestamp()"),
  refuse("a bigint", () => z.int64(), "use z.int(), which is int64 on the wire"),
  refuse("null alone", () => z.null(), ".nullable()"),
  refuse("undefined", () => z.undefined(), ".optional()"),
  refuse("never", () => z.never(), "remove the field"),
  refuse("a custom type", () => z.custom<string>(), "use a plain type and celRule(...)"),
  refuse("a class", () => z.instanceof(Map), "use a plain type and celRule(...)"),
  refuse("catch", () => z.string().catch("a"), "use .default(...)"),
  refuse("an intersection", () => z.intersection(z.object({}), z.object({})), "use a.extend(b.shape)"),
  refuse("a template literal", () => z.templateLiteral(["a", z.string()]), "use z.string().regex(...)"),
  refuse("JSON", () => z.json(), "use anyValue() where it recurs"),
  refuse("lookahead", () => z.string().regex(/^(?!a)/), "RE2 has no lookahead"),
  refuse("lookbehind", () => z.string().regex(/(?<=a)b/), "RE2 has no lookahead and lookbehind"),
  refuse("a back reference", () => z.string().regex(/^(a)\1$/), "RE2 has no back references"),
  refuse("a named back reference", () => z.string().regex(/^(?<a>a)\k<a>$/), "RE2 has no back references"),
  refuse("a flag", () => z.string().regex(/^a$/m), "RE2 has no flag m"),
  refuse("a long repetition", () => z.string().regex(/^a{1001}$/), "more than 1000 repetitions"),
  refuse("nested repetitions", () => z.string().regex(/^((a{20}){6}){9}$/), "more than 1000 repetitions"),
  refuse("an ISO duration", () => z.iso.duration(), "use duration()"),
  refuse("a local datetime", () => z.iso.datetime({ local: true }), "use timestamp()"),
  refuse("a datetime without offsets", () => z.iso.datetime(), "use timestamp()"),
  refuse("a url of one scheme", () => z.url({ protocol: /^https$/ }), "url(self).getScheme()"),
  refuse("a JWT", () => z.jwt(), "use z.string()"),
  refuse("a length that is no count", () => z.string().min(1.5), "use an integer of 0 or more"),
  refuse("an endless bound", () => z.int().max(Number.POSITIVE_INFINITY), "remove it"),
  refuse("a fraction as the bound of an integer", () => z.int().min(1.5), "use an integer"),
  refuse("a bound outside of int32", () => z.int32().max(2 ** 31), "a bound within the range of the type"),
  refuse("a fraction that whole numbers would pass", () => z.float64().min(2.5), 'celRule(schema, "self >= 2.5")'),
  refuse("a multiple of a fraction", () => z.float64().multipleOf(0.1), "use a smaller unit"),
  refuse("a multiple of nothing", () => z.int().multipleOf(0), "use a number above 0"),
  refuse("a union of scalars", () => z.union([z.string(), z.boolean()]), "use z.discriminatedUnion(...)"),
  refuse("a union of objects", () => z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), "use z.discriminatedUnion(...)"),
  refuse("an exclusive union", () => z.xor([z.string(), z.int()]), "use z.union([...])"),
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
    () => z.discriminatedUnion("t", [celRule(z.object({ t: z.literal("a") }), "true"), z.object({ t: z.literal("b") })]),
    "move it to the whole union",
  ),
  refuse("an open branch", () => z.discriminatedUnion("t", [z.looseObject({ t: z.literal("a") })]), "move it to the whole union"),
  refuse(
    "a discriminator with a default",
    () => z.discriminatedUnion("t", [z.object({ t: z.literal("a").default("a") }), z.object({ t: z.literal("b") })]),
    "make it required",
    "spec.x.t",
  ),
  refuse("a rule on one side of a union", () => z.union([celRule(z.int(), "self > 1"), z.string()]), "move it to the whole union"),
  refuse("a format on one side of a union", () => z.union([z.int(), z.ipv6()]), "move it to the whole union"),
  refuse("a float or a string", () => z.union([z.float64(), z.string()]), "use intOrString() or quantity()"),
  refuse("an enum of mixed types", () => z.literal(["a", 1]), "use only strings, only integers or only booleans"),
  refuse("an enum of floats", () => z.literal([0.5]), "use only strings, only integers or only booleans"),
  refuse("an enum that may be null", () => z.enum(["a"]).nullable(), "use .optional()"),
  refuse("a literal null", () => z.literal(["a", null]), "for null use .nullable()"),
  refuse("an optional item", () => z.array(z.string().optional()), "remove .optional() or .default() here", "spec.x[]"),
  refuse(
    "a default for a map's value",
    () => z.record(z.string(), z.string().default("a")),
    "remove .optional() or .default() here",
    "spec.x[*]",
  ),
  refuse("fixed keys", () => z.record(z.enum(["a", "b"]), z.string()), "use z.object({...}).partial()"),
  refuse("a condition on keys", () => z.record(z.string().min(1), z.string()), 'use celRule(schema, "self.all(key, ...)")'),
  refuse("a strict object", () => z.strictObject({}), "use z.object(...)"),
  refuse("a catchall", () => z.object({ a: z.string() }).catchall(z.string()), "move the others into a field of their own"),
  refuse("a default of null", () => z.string().nullable().default(null), "an absent field means the same"),
  refuse(
    "a default that changes",
    () => z.int().default(() => performance.now() | Math.trunc(Math.random() * 2 ** 30)),
    "the default of a schema is constant",
  ),
  refuse("a default out of bounds", () => z.int().max(3).default(4), "write a default that the schema accepts"),
  refuse("a default of the wrong format", () => stringFormat("hostname").default("a b"), "write a default that the schema accepts"),
  refuse("an empty default for base64", () => z.base64().default(""), "write a default that the schema accepts"),
  refuse("a repeated default of a set", () => listSet(z.string()).default(["a", "a"]), "write a default that the schema accepts"),
  refuse("a default with unknown fields", () => z.object({ a: z.string() }).default({ a: "b", c: "d" } as { a: string }), "remove them"),
  refuse(
    "a default that breaks exactlyOneOf",
    () => exactlyOneOf(z.object({ a: z.string().optional(), b: z.string().optional() }), "a", "b").prefault({}),
    "write a default that the schema accepts",
  ),
  refuse(
    "a list key that may be absent",
    () => listMap(item, "other" as "name"),
    "make it required, or give it a default",
    "spec.x[].other",
  ),
  refuse("a list key twice", () => listMap(item, "name", "name"), "list it once"),
  refuse("a set of objects that merge", () => listSet(item), "use listMap(item, key), or listSet(atomic(item))", "spec.x[]"),
  refuse("null in a set", () => listSet(z.string().nullable()), "remove .nullable()", "spec.x[]"),
  refuse("a set of anything", () => listSet(anyValue()), "remove .nullable()", "spec.x[]"),
  refuse("immutable items of a list without keys", () => z.array(immutable(z.string())), "use listMap(item, key)", "spec.x[]"),
  refuse("immutable items of a set", () => listSet(immutable(z.string())), "use listMap(item, key)", "spec.x[]"),
  refuse("a rule on any value", () => celRule(anyValue(), "self == oldSelf"), "CEL needs a type"),
  refuse("a rule about a field that is not there", () => celRule(item, "self.nam == ''"), "name, other"),
  refuse("a rule about a field of any type", () => celRule(z.object({ any: anyValue() }), "has(self.any)"), "fields that have a type"),
  refuse("a rule without CEL", () => celRule(z.string(), " "), "write a CEL expression"),
  refuse("a message of two lines", () => celRule(z.string(), "true", { message: "a\nb" }), "write one line"),
  refuse("a long rule without a message", () => celRule(z.string(), "self == ''\n|| true"), "add a message"),
  refuse("optionalOldSelf without oldSelf", () => celRule(z.string(), "true", { optionalOldSelf: true }), "remove optionalOldSelf"),
  refuse("a fieldPath that leads nowhere", () => celRule(item, "true", { fieldPath: ".nam" }), 'like ".limits.cpu"'),
  refuse(
    "a fieldPath into a list",
    () => celRule(z.object({ a: z.array(z.string()) }), "true", { fieldPath: ".a[0]" }),
    'like ".limits.cpu"',
  ),
  refuse("an embedded resource of nothing", () => embedded(z.object({})), "give the embedded object fields, or use embedded()"),
  {
    name: "an embedded object's rule that CEL cannot name",
    spec: () => one(atLeastOneOf(z.object({ "a b": z.string().optional(), c: z.string().optional() }), "a b", "c")),
    path: "a b",
    advice: "rename the field",
  },
];

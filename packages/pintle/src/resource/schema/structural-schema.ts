import * as z from "zod";
import type { StructuralSchema } from "../custom-resource-definition.ts";
import type { AnyZodType, FieldAttributes } from "../fields/index.ts";
import { InvalidResource, notStructuralError } from "../invalid-resource.ts";
import { parseDefaultValue } from "./default-value.ts";
import { buildEnumSchema } from "./enum-schema.ts";
import { buildListSchema, buildMapSchema } from "./list-schema.ts";
import { buildNumberSchema } from "./number-schema.ts";
import { buildObjectSchema } from "./object-schema.ts";
import { buildStringSchema } from "./string-schema.ts";
import { buildUnionSchema } from "./union-schema.ts";
import { type MutableSchema, readZodNode, rejectChecks, type ZodDef, type ZodNode } from "./zod-node.ts";

/**
 * Converts a Zod 4 schema to a structural schema. Throws `InvalidResource` with the path of the field if it has no structural form.
 * Reads only `_zod.def` and its checks, which are stable across Zod minors.
 */
export function toStructuralSchema(schema: AnyZodType, path: string): StructuralSchema {
  return convertSchema(schema, path, new Set());
}

/** Whether a CustomResourceDefinition can express the whole schema, so that the API server enforces it without a webhook. */
export function isStructural(schema: AnyZodType): boolean {
  try {
    toStructuralSchema(schema, "");
    return true;
  } catch (error) {
    if (error instanceof InvalidResource) return false;
    throw error;
  }
}

function convertSchema(schema: AnyZodType, path: string, ancestors: ReadonlySet<AnyZodType>): StructuralSchema {
  if (ancestors.has(schema)) throw notStructuralError(path, "recursion", "use anyValue() where it recurs");
  const here = new Set([...ancestors, schema]);
  const one = readZodNode(schema, path, (part, at) => convertSchema(part, at, here));
  const out = convertNode(one);
  Object.assign(out, attributeKeywords(one.attributes, out), sensitiveKeywords(one.attributes, out, path));
  const description = z.globalRegistry.get(schema as z.core.$ZodType)?.description;
  if (description !== undefined) out.description = description;
  return out;
}

function convertNode(one: ZodNode): MutableSchema {
  const { def, path } = one;
  if (one.attributes.structural !== undefined) return { ...one.attributes.structural };
  switch (def.type) {
    case "string":
      return buildStringSchema(one as ZodNode<typeof def>);
    case "number":
      return buildNumberSchema(one as ZodNode<typeof def>);
    case "array":
      return buildListSchema(one as ZodNode<typeof def>);
    case "record":
      return buildMapSchema(one as ZodNode<typeof def>);
    case "object":
      return buildObjectSchema(one as ZodNode<typeof def>);
    case "union":
      return buildUnionSchema(one as ZodNode<typeof def>);
    case "boolean":
      if (def.coerce) throw notStructuralError(path, "coercion", "store the boolean as the client sends it");
      break;
    case "pipe":
    case "transform":
      throw notStructuralError(path, "a transform", "declare the stored form and convert it in reconcile");
  }
  rejectChecks(one);
  return convertUncheckedNode(one, def);
}

/** Converts the types that have no checks: wrappers, enums, booleans, and values of any type. */
function convertUncheckedNode(one: ZodNode, def: ZodDef): MutableSchema {
  switch (def.type) {
    case "boolean":
      return { type: "boolean" };
    case "enum":
      return buildEnumSchema(z.core.util.getEnumValues(def.entries), one.path);
    case "literal":
      return buildEnumSchema(def.values, one.path);
    case "unknown":
    case "any":
      return { nullable: true, "x-kubernetes-preserve-unknown-fields": true };
    case "optional":
    case "readonly":
    case "nonoptional":
      return { ...one.convertPart(def.innerType, one.path) };
    case "nullable":
      return nullableSchema(one.convertPart(def.innerType, one.path), one.path);
    case "default":
    case "prefault": {
      const inner = one.convertPart(def.innerType, one.path);
      return { ...inner, default: parseDefaultValue(one as ZodNode<typeof def>, inner) };
    }
    default: {
      const [what, instead] = UNSUPPORTED_TYPES[def.type] ?? [`z.${def.type}()`, "use another type"];
      throw notStructuralError(one.path, what, instead);
    }
  }
}

function nullableSchema(inner: StructuralSchema, path: string): MutableSchema {
  if (inner.enum) throw notStructuralError(path, "an enum that may be null", "the API server rejects null for an enum: use .optional()");
  return { ...inner, nullable: true };
}

/** The format of a secret. Throws for a value that the API server cannot mark as one. */
function sensitiveKeywords({ sensitive }: FieldAttributes, out: MutableSchema, path: string): MutableSchema {
  if (sensitive === undefined) return {};
  if (out.type !== "string") throw notStructuralError(path, "sensitive() for a value that is no string", "mark the strings in it");
  if (out.format !== undefined && out.format !== PASSWORD)
    throw notStructuralError(path, `sensitive() with the format ${out.format}`, "validate the string with .regex(...)");
  return { format: PASSWORD };
}
const PASSWORD = "password";

/** The keywords of the field attributes, except those that depend on the type. */
function attributeKeywords(
  { rules, title, example, externalDocs, atomic, minProperties, maxProperties }: FieldAttributes,
  out: MutableSchema,
): MutableSchema {
  return {
    ...(rules ? { "x-kubernetes-validations": [...(out["x-kubernetes-validations"] ?? []), ...rules] } : {}),
    ...(title !== undefined ? { title } : {}),
    ...(example !== undefined ? { example } : {}),
    ...(externalDocs ? { externalDocs } : {}),
    ...(atomic !== undefined && out.type === "object" ? { "x-kubernetes-map-type": atomic ? "atomic" : "granular" } : {}),
    ...(minProperties !== undefined ? { minProperties } : {}),
    ...(maxProperties !== undefined ? { maxProperties } : {}),
  };
}

const UNSUPPORTED_TYPES: Partial<Record<ZodDef["type"], readonly [what: string, instead: string]>> = {
  tuple: ["a tuple", "use an object with named fields, or z.array(...)"],
  map: ["a Map", "use z.record(z.string(), ...)"],
  set: ["a Set", "use listSet(...)"],
  date: ["a Date", "use timestamp()"],
  bigint: ["a bigint", "use z.int(), which is int64 on the wire"],
  lazy: ["recursion", "use anyValue() where it recurs"],
  intersection: ["an intersection", "use a.extend(b.shape)"],
  catch: ["a catch", "use .default(...)"],
  custom: ["a custom type", "use a plain type and celRule(...)"],
  template_literal: ["a template literal", "use z.string().regex(...)"],
  undefined: ["undefined", "use .optional() on the type that may be absent"],
  void: ["void", "use .optional() on the type that may be absent"],
  null: ["null alone", "use .nullable() on the type that may be null"],
  never: ["never", "remove the field"],
};

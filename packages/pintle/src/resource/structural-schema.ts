import * as z from "zod";
import type { StructuralSchema } from "./custom-resource-definition.ts";
import { defaultValue } from "./default-value.ts";
import { enumeration } from "./enumeration.ts";
import type { Any, Facts } from "./facts.ts";
import { InvalidResource, notStructural } from "./invalid-resource.ts";
import { listSchema, mapSchema } from "./list-schema.ts";
import { type Def, type Draft, type Node, node, unchecked } from "./node.ts";
import { numberSchema } from "./number-schema.ts";
import { objectSchema } from "./object-schema.ts";
import { stringSchema } from "./string-schema.ts";
import { unionSchema } from "./union-schema.ts";

/**
 * A Zod 4 schema as a structural one. Walks `_zod.def` and its checks only, so that every refusal can name its field
 * and no internal of Zod that moves between minors matters.
 */
export function structuralSchema(schema: Any, path: string): StructuralSchema {
  return walk(schema, path, new Set());
}

/** Whether a CustomResourceDefinition can say all that this schema does: then the server enforces it, and nobody else has to. */
export function isExpressible(schema: Any): boolean {
  try {
    structuralSchema(schema, "");
    return true;
  } catch (error) {
    if (error instanceof InvalidResource) return false;
    throw error;
  }
}

function walk(schema: Any, path: string, above: ReadonlySet<Any>): StructuralSchema {
  if (above.has(schema)) throw notStructural(path, "recursion", "write anyValue() where it recurs");
  const here = new Set([...above, schema]);
  const one = node(schema, path, (part, at) => walk(part, at, here));
  const out = body(one);
  Object.assign(out, stated(one.facts, out));
  const description = z.globalRegistry.get(schema as z.core.$ZodType)?.description;
  if (description !== undefined) out.description = description;
  return out;
}

function body(one: Node): Draft {
  const { def, path } = one;
  switch (def.type) {
    case "string":
      return stringSchema(one as Node<typeof def>);
    case "number":
      return numberSchema(one as Node<typeof def>);
    case "array":
      return listSchema(one as Node<typeof def>);
    case "record":
      return mapSchema(one as Node<typeof def>);
    case "object":
      return objectSchema(one as Node<typeof def>);
    case "union":
      return unionSchema(one as Node<typeof def>);
    case "boolean":
      if (def.coerce) throw notStructural(path, "coercion", "accept the boolean as it is written");
      break;
    case "pipe":
    case "transform":
      throw notStructural(path, "a transform", "keep the stored form in the schema and convert it in reconcile");
  }
  unchecked(one);
  return simple(one, def);
}

/** What no check can narrow: wrappers, closed sets, and the types that say nothing. */
function simple(one: Node, def: Def): Draft {
  switch (def.type) {
    case "boolean":
      return { type: "boolean" };
    case "enum":
      return enumeration(z.core.util.getEnumValues(def.entries), one.path);
    case "literal":
      return enumeration(def.values, one.path);
    case "unknown":
    case "any":
      return { nullable: true, "x-kubernetes-preserve-unknown-fields": true };
    case "optional":
    case "readonly":
    case "nonoptional":
      return { ...one.walk(def.innerType, one.path) };
    case "nullable":
      return nullable(one.walk(def.innerType, one.path), one.path);
    case "default":
    case "prefault": {
      const inner = one.walk(def.innerType, one.path);
      return { ...inner, default: defaultValue(one as Node<typeof def>, inner) };
    }
    default: {
      const [what, instead] = REFUSED[def.type] ?? [`z.${def.type}()`, "use another type"];
      throw notStructural(one.path, what, instead);
    }
  }
}

function nullable(inner: StructuralSchema, path: string): Draft {
  if (inner.enum) throw notStructural(path, "an enum that may be null", "the server takes no null for an enum: write .optional()");
  return { ...inner, nullable: true };
}

/** What the field functions said, beside the keywords that depend on the type. */
function stated({ rules, title, example, externalDocs, atomic, minProperties, maxProperties }: Facts, out: Draft): Draft {
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

const REFUSED: Partial<Record<Def["type"], readonly [what: string, instead: string]>> = {
  tuple: ["a tuple", "write an object with named fields, or z.array(...)"],
  map: ["a Map", "write z.record(z.string(), ...)"],
  set: ["a Set", "write listSet(...)"],
  date: ["a Date", "write time()"],
  bigint: ["a bigint", "write z.int(), which is int64 on the wire"],
  lazy: ["recursion", "write anyValue() where it recurs"],
  intersection: ["an intersection", "write a.extend(b.shape)"],
  catch: ["a catch", "write .default(...)"],
  custom: ["a custom type", "use a plain type and rule(...)"],
  template_literal: ["a template literal", "write z.string().regex(...)"],
  undefined: ["undefined", "write .optional() on the type that may be absent"],
  void: ["void", "write .optional() on the type that may be absent"],
  null: ["null alone", "write .nullable() on the type that may be null"],
  never: ["never", "leave the field out"],
};

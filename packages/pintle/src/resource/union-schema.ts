import type * as z from "zod";
import type { Json } from "../kinds/index.ts";
import type { StructuralSchema, ValueValidation } from "./custom-resource-definition.ts";
import { enumeration } from "./enumeration.ts";
import { notStructural } from "./invalid-resource.ts";
import { type Draft, defOf, type Node, unchecked } from "./node.ts";

type UnionDef = z.core.$ZodUnionDef & { readonly discriminator?: string };

export function unionSchema(node: Node<UnionDef>): Draft {
  unchecked(node);
  const types = node.def.options.map((option) => defOf(option).type);
  if (node.def.discriminator !== undefined) return discriminated(node, node.def.discriminator);
  if (node.def.inclusive === false) throw notStructural(node.path, "an exclusive union", "write z.union([...])");
  if (types.length === 2 && types.includes("number") && types.includes("string")) return intOrString(node);
  if (types.every((type) => type === "literal" || type === "enum")) return values(node);
  const advice = "write z.discriminatedUnion(...), or an object with optional fields and exactlyOneOf(...)";
  throw notStructural(node.path, "a union", advice);
}

function values({ def, path, walk }: Node<UnionDef>): Draft {
  return enumeration([...new Set(def.options.flatMap((option) => walk(option, path).enum ?? []))], path);
}

/** Bounds concern only the integer, lengths and patterns only the string, so both can stand side by side. */
function intOrString({ def, path, walk }: Node<UnionDef>): Draft {
  const sides = def.options.map((option) => walk(option, path));
  if (sides.some((side) => side.type === "number"))
    throw notStructural(path, "a union of a float and a string", "write intOrString() or quantity()");
  const limits = sides.map(({ type: _, ...rest }) => (rest.format?.startsWith("int") ? without(rest) : rest));
  return Object.assign({ "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }, ...limits);
}
function without({ format: _, ...rest }: Omit<StructuralSchema, "type">): Omit<StructuralSchema, "type"> {
  return rest;
}

interface Branch {
  readonly tags: readonly Json[];
  readonly fields: Readonly<Record<string, StructuralSchema>>;
  readonly required: readonly string[];
}

/**
 * All branches' fields side by side, and a oneOf that says which of them go with which tag; a field of another branch
 * is refused, so what is read back has one branch's type.
 */
function discriminated(node: Node<UnionDef>, tag: string): Draft {
  const branches = node.def.options.map((option) => branch(node, option, tag));
  const fields: Record<string, StructuralSchema> = {};
  for (const [name, field] of branches.flatMap((one) => Object.entries(one.fields))) {
    if (fields[name] !== undefined && JSON.stringify(fields[name]) !== JSON.stringify(field)) {
      throw notStructural(`${node.path}.${name}`, "a field that differs between branches", "give the branches fields of different names");
    }
    fields[name] = field;
  }
  const tagged = enumeration([...new Set(branches.flatMap((one) => one.tags))], `${node.path}.${tag}`);
  return {
    type: "object",
    properties: { ...fields, [tag]: tagged },
    required: [tag],
    oneOf: branches.map((one) => validation(one, tag, Object.keys(fields))),
  };
}

function branch(node: Node<UnionDef>, option: z.core.$ZodType, tag: string): Branch {
  if (defOf(option).type !== "object")
    throw notStructural(node.path, "a union inside a union", "list all branches in one z.discriminatedUnion(...)");
  const schema = node.walk(option, node.path);
  if (schema["x-kubernetes-validations"]) throw notStructural(node.path, "a rule on one branch", "put the rule on the whole union");
  if (schema["x-kubernetes-preserve-unknown-fields"]) throw notStructural(node.path, "an open branch", "write z.object(...) for it");
  const { [tag]: own, ...fields } = schema.properties ?? {};
  for (const [name, field] of Object.entries(fields)) {
    if (field.default !== undefined) {
      throw notStructural(`${node.path}.${name}`, "a default in one branch", "it would be set in all of them: make the field optional");
    }
  }
  return { tags: own?.enum ?? [], fields, required: schema.required ?? [] };
}

function validation({ tags, fields, required }: Branch, tag: string, all: readonly string[]): ValueValidation {
  const foreign = all.filter((name) => !(name in fields)).map((name) => ({ required: [name] }));
  return {
    properties: { [tag]: { enum: tags } },
    required,
    ...(foreign.length > 0 ? { not: foreign.length === 1 ? foreign[0]! : { anyOf: foreign } } : {}),
  };
}

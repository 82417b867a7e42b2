import type * as z from "zod";
import type { Json } from "../kinds/index.ts";
import type { StructuralSchema, ValueValidation } from "./custom-resource-definition.ts";
import { enumeration } from "./enumeration.ts";
import { notStructural } from "./invalid-resource.ts";
import { type Draft, defOf, type Node, only } from "./node.ts";
import { ordered } from "./ordered.ts";

interface Branch {
  readonly tags: readonly Json[];
  readonly fields: Readonly<Record<string, StructuralSchema>>;
  readonly required: readonly string[];
}

/**
 * All branches' fields side by side, and a oneOf that says which of them go with which tag; a field of another branch
 * is refused, so what is read back has one branch's type.
 */
export function discriminatedSchema(node: Node<z.core.$ZodUnionDef>, tag: string): Draft {
  const branches = node.def.options.map((option) => branch(node, option, tag));
  const fields: Record<string, StructuralSchema> = {};
  for (const [name, field] of branches.flatMap((one) => Object.entries(one.fields))) {
    if (fields[name] !== undefined && JSON.stringify(ordered(fields[name])) !== JSON.stringify(ordered(field))) {
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

function branch({ path, walk }: Node<z.core.$ZodUnionDef>, option: z.core.$ZodType, tag: string): Branch {
  if (defOf(option).type !== "object") {
    throw notStructural(path, "a union inside a union", "list all branches in one z.discriminatedUnion(...)");
  }
  const { properties = {}, required = [] } = only(walk(option, path), ["type", "properties", "required", "description"], path);
  const { [tag]: own, ...fields } = properties;
  if (!required.includes(tag)) throw notStructural(`${path}.${tag}`, "a discriminator that may be absent", "make it required");
  for (const [name, field] of Object.entries(fields)) {
    if (field.default === undefined) continue;
    throw notStructural(`${path}.${name}`, "a default in one branch", "it would be set in all of them: make the field optional");
  }
  return { tags: own?.enum ?? [], fields, required };
}

function validation({ tags, fields, required }: Branch, tag: string, all: readonly string[]): ValueValidation {
  const foreign = all.filter((name) => !(name in fields)).map((name) => ({ required: [name] }));
  return {
    properties: { [tag]: { enum: tags } },
    required,
    ...(foreign.length > 0 ? { not: foreign.length === 1 ? foreign[0]! : { anyOf: foreign } } : {}),
  };
}

import type * as z from "zod";
import type { Json } from "../../kinds/index.ts";
import type { StructuralSchema, ValueValidation } from "../custom-resource-definition.ts";
import { notStructuralError } from "../invalid-resource.ts";
import { sortKeys } from "../sort-keys.ts";
import { buildEnumSchema } from "./enum-schema.ts";
import { assertKeywords, defOf, type MutableSchema, type ZodNode } from "./zod-node.ts";

interface UnionBranch {
  readonly tags: readonly Json[];
  readonly fields: Readonly<Record<string, StructuralSchema>>;
  readonly required: readonly string[];
}

/**
 * Returns one object schema with the fields of all branches, and a `oneOf` that ties each branch's fields to its discriminator values.
 * Fields of other branches are rejected, so a stored object has the type of exactly one branch.
 */
export function buildDiscriminatedUnionSchema(node: ZodNode<z.core.$ZodUnionDef>, discriminator: string): MutableSchema {
  const branches = node.def.options.map((option) => readBranch(node, option, discriminator));
  const fields: Record<string, StructuralSchema> = {};
  for (const [name, field] of branches.flatMap((one) => Object.entries(one.fields))) {
    if (fields[name] !== undefined && JSON.stringify(sortKeys(fields[name])) !== JSON.stringify(sortKeys(field))) {
      throw notStructuralError(
        `${node.path}.${name}`,
        "a field that differs between branches",
        "give the branches fields of different names",
      );
    }
    fields[name] = field;
  }
  const discriminatorSchema = buildEnumSchema([...new Set(branches.flatMap((one) => one.tags))], `${node.path}.${discriminator}`);
  return {
    type: "object",
    properties: { ...fields, [discriminator]: discriminatorSchema },
    required: [discriminator],
    oneOf: branches.map((one) => branchValidation(one, discriminator, Object.keys(fields))),
  };
}

function readBranch({ path, convertPart }: ZodNode<z.core.$ZodUnionDef>, option: z.core.$ZodType, discriminator: string): UnionBranch {
  if (defOf(option).type !== "object") {
    throw notStructuralError(path, "a union inside a union", "list all branches in one z.discriminatedUnion(...)");
  }
  const { properties = {}, required = [] } = assertKeywords(
    convertPart(option, path),
    ["type", "properties", "required", "description"],
    path,
  );
  const { [discriminator]: discriminatorField, ...fields } = properties;
  if (!required.includes(discriminator))
    throw notStructuralError(`${path}.${discriminator}`, "a discriminator that may be absent", "make it required");
  for (const [name, field] of Object.entries(fields)) {
    if (field.default === undefined) continue;
    throw notStructuralError(
      `${path}.${name}`,
      "a default in one branch",
      "the API server would set it in every branch: make the field optional",
    );
  }
  return { tags: discriminatorField?.enum ?? [], fields, required };
}

function branchValidation({ tags, fields, required }: UnionBranch, discriminator: string, all: readonly string[]): ValueValidation {
  const otherFields = all.filter((name) => !(name in fields)).map((name) => ({ required: [name] }));
  return {
    properties: { [discriminator]: { enum: tags } },
    required,
    ...(otherFields.length > 0 ? { not: otherFields.length === 1 ? otherFields[0]! : { anyOf: otherFields } } : {}),
  };
}

import type * as z from "zod";
import type { StructuralSchema, ValidationRule } from "../custom-resource-definition.ts";
import { attributesOf } from "../fields/index.ts";
import { InvalidResource } from "../invalid-resource.ts";
import { checkSchema } from "./check-schema.ts";
import { CONDITIONS_SCHEMA, OBSERVED_GENERATION_SCHEMA } from "./conditions-schema.ts";
import { toStructuralSchema } from "./structural-schema.ts";

/** The parts of the schema of one version. */
export interface RootSchemaParts {
  readonly spec: z.ZodObject;
  readonly status?: z.ZodObject | undefined;
  readonly conditions: readonly string[];
  readonly description?: string | undefined;
  readonly rules?: readonly ValidationRule[] | undefined;
}

/** Returns the schema of a whole object. After defaulting `spec` is always present; `status` has no required fields. */
export function buildRootSchema(parts: RootSchemaParts): StructuralSchema {
  const spec = buildSpecSchema(parts.spec);
  const status = buildStatusSchema(parts);
  const schema: StructuralSchema = {
    ...(parts.description === undefined ? {} : { description: parts.description }),
    type: "object",
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { type: "object" },
      spec,
      ...(status ? { status } : {}),
    },
    ...(spec.default === undefined ? { required: ["spec"] } : {}),
    ...(parts.rules?.length ? { "x-kubernetes-validations": parts.rules } : {}),
  };
  checkSchema(schema);
  return schema;
}

/** `spec` defaults to `{}` if that is valid. With CEL rules, which only the API server evaluates, `spec` is required instead. */
function buildSpecSchema(spec: z.ZodObject): StructuralSchema {
  const schema = toStructuralSchema(spec, "spec");
  const acceptsEmptySpec = schema.required === undefined && !attributesOf(spec).hasCelRule && spec.safeParse({}).success;
  return acceptsEmptySpec ? { ...schema, default: {} } : schema;
}

function buildStatusSchema({ status, conditions }: RootSchemaParts): StructuralSchema | undefined {
  if (status === undefined && conditions.length === 0) return undefined;
  // Only the controller writes the status, and old objects must stay valid when a field is added.
  const { required: _, ...schema }: StructuralSchema = status ? toStructuralSchema(status, "status") : { type: "object" };
  if (conditions.length === 0) return schema;
  for (const name of ["conditions", "observedGeneration"]) {
    if (schema.properties?.[name] !== undefined) {
      throw new InvalidResource(`status.${name}`, "conditions: [...] adds this field", "remove it from the status schema");
    }
  }
  return { ...schema, properties: { ...schema.properties, conditions: CONDITIONS_SCHEMA, observedGeneration: OBSERVED_GENERATION_SCHEMA } };
}

import type * as z from "zod";
import { audit } from "./audit.ts";
import { CONDITIONS, OBSERVED_GENERATION } from "./conditions.ts";
import type { StructuralSchema, ValidationRule } from "./custom-resource-definition.ts";
import { factsOf } from "./facts.ts";
import { InvalidResource } from "./invalid-resource.ts";
import { structuralSchema } from "./structural-schema.ts";

export interface Parts {
  readonly spec: z.ZodObject;
  readonly status?: z.ZodObject | undefined;
  readonly conditions: readonly string[];
  readonly description?: string | undefined;
  readonly rules?: readonly ValidationRule[] | undefined;
}

/** The schema of whole objects. After defaulting `spec` is always there; in `status` nothing is ever required. */
export function rootSchema(parts: Parts): StructuralSchema {
  const spec = specSchema(parts.spec);
  const status = statusSchema(parts);
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
  audit(schema);
  return schema;
}

/** A rule may refuse `{}`, which only the server can tell; so with rules of its own the spec has to be written. */
function specSchema(spec: z.ZodObject): StructuralSchema {
  const schema = structuralSchema(spec, "spec");
  const empty = schema.required === undefined && !factsOf(spec).undecided && spec.safeParse({}).success;
  return empty ? { ...schema, default: {} } : schema;
}

function statusSchema({ status, conditions }: Parts): StructuralSchema | undefined {
  if (status === undefined && conditions.length === 0) return undefined;
  // One writer, and an old object must stay updatable after a field is added.
  const { required: _, ...schema }: StructuralSchema = status ? structuralSchema(status, "status") : { type: "object" };
  if (conditions.length === 0) return schema;
  for (const name of ["conditions", "observedGeneration"]) {
    if (schema.properties?.[name] !== undefined) {
      throw new InvalidResource(`status.${name}`, "conditions: [...] brings this field along", "leave it out of the status schema");
    }
  }
  return { ...schema, properties: { ...schema.properties, conditions: CONDITIONS, observedGeneration: OBSERVED_GENERATION } };
}

import type * as z from "zod";
import type { Json } from "../../kinds/index.ts";
import type { StructuralSchema, ValidationRule } from "../custom-resource-definition.ts";

/** Properties of a field that Zod has no notation for. Only the field functions of this folder set them. */
export interface FieldAttributes {
  readonly format?: string;
  /** Whether the value is a secret. */
  readonly sensitive?: true;
  /** The whole schema of a field of a built-in type. */
  readonly structural?: StructuralSchema;
  readonly list?: { readonly type: "map"; readonly keys: readonly string[] } | { readonly type: "set" };
  /** `true`: owned and replaced as a whole. `false`: explicitly granular. */
  readonly atomic?: boolean;
  readonly embedded?: true;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly rules?: readonly ValidationRule[];
  /** Whether a rule is user-written CEL, which only the API server evaluates. */
  readonly hasCelRule?: true;
  readonly title?: string;
  readonly example?: Json;
  readonly externalDocs?: { readonly url: string; readonly description?: string };
}

/** `SomeType`, never `ZodType`: comparing one z.object() with `ZodType` costs the compiler 70,000 instantiations. */
export type AnyZodType = z.core.SomeType;

/** Returns an error message for an invalid value, undefined for a valid one. */
export type ValueCheck<T = any> = (value: T) => string | undefined;

interface AttributeCheck {
  readonly check: "pintle";
  readonly attributes: FieldAttributes;
}

/**
 * Returns the same schema with attributes. They are stored as a Zod check, so `.min()`, `.describe()` and `.safeExtend()` keep them, and
 * Zod rejects the operations that would lose them (`.pick()`, `.omit()`, ...).
 */
export function withAttributes<S extends AnyZodType>(schema: S, attributes: FieldAttributes, checkValue?: ValueCheck): S {
  const def: AttributeCheck = { check: "pintle", attributes };
  const check = (payload: { value: unknown; issues: unknown[] }) => {
    const message = checkValue?.(payload.value);
    if (message !== undefined) payload.issues.push({ code: "custom", message, input: payload.value, inst: undefined, continue: true });
  };
  const carrier = { _zod: { def, check, onattach: [] } };
  return (schema as unknown as z.ZodType).check(carrier as unknown as z.core.$ZodCheck<unknown>) as unknown as S;
}

/** Whether a check of a Zod schema holds attributes. */
export function isAttributeCheck(def: { readonly check: string }): def is AttributeCheck {
  return def.check === "pintle";
}

/** Returns all attributes of a schema. Later attributes override earlier ones; rules accumulate. */
export function attributesOf(schema: AnyZodType): FieldAttributes {
  let attributes: FieldAttributes = {};
  for (const { _zod } of (schema as z.core.$ZodType)._zod.def.checks ?? []) {
    const def: { readonly check: string } = _zod.def;
    if (!isAttributeCheck(def)) continue;
    const rules = [...(attributes.rules ?? []), ...(def.attributes.rules ?? [])];
    attributes = { ...attributes, ...def.attributes, ...(rules.length > 0 ? { rules } : {}) };
  }
  return attributes;
}

import type * as z from "zod";
import type { AdmissionRequest } from "./admission-request.ts";
import type { FieldError } from "./validation-result.ts";

const SCHEMA: unique symbol = Symbol("pintle.schema");

/** Returns the Zod schema of a `validate` function that `validateWithSchema` made; undefined for others. */
export function schemaOfValidator(validate: unknown): z.core.SomeType | undefined {
  return (validate as { readonly [SCHEMA]?: z.core.SomeType } | undefined)?.[SCHEMA];
}

/**
 * Returns a `validate` function that checks `spec` with a Zod schema, for constraints that a CustomResourceDefinition cannot express, such
 * as `refine()`.
 *
 * A schema that a CustomResourceDefinition can express needs no webhook, because the API server enforces it while the operator is down
 * too; `pintle generate` reports such a schema.
 *
 * @example
 * ```ts
 * import { defineResource, validateWithSchema, webhook, z } from "pintle";
 *
 * const spec = z.object({ image: z.string() });
 * const Thing = defineResource({ group: "example.com", version: "v1", kind: "Thing", spec });
 * const strict = spec.refine(({ image }) => image.includes("@sha256:"), { path: ["image"], message: "needs a digest" });
 * export const thingWebhook = webhook(Thing, { validate: validateWithSchema(strict) });
 * ```
 */
export function validateWithSchema(spec: z.core.SomeType): (request: AdmissionRequest<any>) => Promise<readonly FieldError<any>[]> {
  const validate = async ({ object }: AdmissionRequest<any>) => {
    if (object === undefined) return [];
    const { success, error } = await (spec as z.ZodType).safeParseAsync(object.spec ?? {});
    return success ? [] : error.issues.map(({ path, message }) => ({ field: formatFieldPath(["spec", ...path]), message }));
  };
  return Object.assign(validate, { [SCHEMA]: spec });
}

/** Formats a path: ["spec", "ports", 0, "name"] -> "spec.ports[0].name". */
function formatFieldPath(path: readonly PropertyKey[]): string {
  return path.map((part, i) => (typeof part === "number" ? `[${part}]` : `${i === 0 ? "" : "."}${String(part)}`)).join("");
}

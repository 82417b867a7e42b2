import type * as z from "zod";
import type { AdmissionRequest } from "./request.ts";
import type { FieldError } from "./verdict.ts";

const SCHEMA: unique symbol = Symbol("pintle.schema");

/** The Zod schema that a `validate` is made of, when it is. */
export function schemaOf(validate: unknown): z.core.SomeType | undefined {
  return (validate as { readonly [SCHEMA]?: z.core.SomeType } | undefined)?.[SCHEMA];
}

/**
 * A `validate` that asks a Zod schema about the spec: for what no CustomResourceDefinition can say, `refine()` above all.
 *
 * ```ts
 * webhook(Memcached, { validate: fromSchema(memcachedSpec.refine(({ image }) => isSigned(image), { path: ["image"], message: "is not signed" })) });
 * ```
 *
 * What the definition itself enforces is checked by the server, whether the operator runs or not: a schema without anything
 * more needs no webhook, and `pintle generate` says so.
 */
export function fromSchema(spec: z.core.SomeType): (request: AdmissionRequest<any>) => Promise<readonly FieldError<any>[]> {
  const validate = async ({ object }: AdmissionRequest<any>) => {
    if (object === undefined) return [];
    const { success, error } = await (spec as z.ZodType).safeParseAsync(object.spec ?? {});
    return success ? [] : error.issues.map(({ path, message }) => ({ field: fieldText(["spec", ...path]), message }));
  };
  return Object.assign(validate, { [SCHEMA]: spec });
}

/** ["spec", "ports", 0, "name"] -> "spec.ports[0].name" */
function fieldText(path: readonly PropertyKey[]): string {
  return path.map((part, i) => (typeof part === "number" ? `[${part}]` : `${i === 0 ? "" : "."}${String(part)}`)).join("");
}

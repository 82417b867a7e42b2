/** The part of the Standard Schema interface that is used: schemas of Zod 4, Valibot and ArkType implement it. */
export interface StandardSchema {
  readonly "~standard": {
    readonly validate: (value: unknown) => StandardSchemaResult | Promise<StandardSchemaResult>;
    readonly types?: { readonly input: unknown } | undefined;
  };
}
/** The result of a validation. */
export interface StandardSchemaResult {
  readonly issues?: readonly StandardSchemaIssue[] | undefined;
}
/** One violation of a schema. */
export interface StandardSchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * The input type of a schema. Objects are validated and never transformed, so that fields unknown to the schema survive reading and
 * writing back.
 */
export type SchemaInput<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["input"];

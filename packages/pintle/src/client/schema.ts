/** A Standard Schema, as far as it is used here: Zod 4, Valibot and ArkType schemas are some. */
export interface Schema {
  readonly "~standard": {
    readonly validate: (value: unknown) => SchemaResult | Promise<SchemaResult>;
    readonly types?: { readonly input: unknown } | undefined;
  };
}
export interface SchemaResult {
  readonly issues?: readonly SchemaIssue[] | undefined;
}
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * The type of what passes the schema, untouched: objects are checked, never rewritten, so that fields a schema does
 * not know survive reading and writing back.
 */
export type InputOf<S extends Schema> = NonNullable<S["~standard"]["types"]>["input"];

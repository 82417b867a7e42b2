/**
 * Zod schemas to structural schemas. In: the Zod schemas of `spec` and `status`. Out: the schema of whole objects for a
 * CustomResourceDefinition. Throws `InvalidResource` with the path of a field that has no structural form.
 */
export { CONDITIONS_SCHEMA, OBSERVED_GENERATION_SCHEMA } from "./conditions-schema.ts";
export { buildRootSchema, type RootSchemaParts } from "./root-schema.ts";
export { isStructural, toStructuralSchema } from "./structural-schema.ts";

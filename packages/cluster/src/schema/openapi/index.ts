/**
 * OpenAPI of custom resources. Takes CRDs and a lookup of built-in schemas; returns one OpenAPI v3 document per
 * group-version with its content hash, and the OpenAPI v2 form of paths and schemas. The documents of built-in kinds
 * are generated data.
 */
export { buildCrdOpenApi, type DefinitionLookup, hashDocument } from "./crd-document.ts";
export { toSwaggerPath } from "./swagger-path.ts";
export { toSwaggerDefinition, toSwaggerSchema } from "./swagger-schema.ts";

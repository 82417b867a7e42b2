/**
 * Structural schemas: what a CustomResourceDefinition makes of objects. In come schemas and CRDs as JSON; out come
 * compiled schemas that prune, default and validate objects, field errors in the server's words, table columns, and
 * the OpenAPI documents clients read. Nothing here does IO, and no object is ever changed in place.
 */
export * as cel from "./cel/index.ts";
export { type Column, type ColumnDefinition, type JsonPath, jsonPath, printerColumns, selectableField } from "./columns/index.ts";
export { type CompiledSchema, compileSchema, type Pruned, type SchemaOptions } from "./compile-schema.ts";
export * from "./crd/index.ts";
export { DecodeError, formatSeconds, type Instant, jsonKind, Mismatch, parseTime } from "./decode/index.ts";
export type { JsonSchema, ValidationRule } from "./json-schema.ts";
export { crdOpenApi, type Definitions, documentHash, swaggerPath, swaggerSchema } from "./openapi/index.ts";
export type { ScalePaths } from "./validate/scale.ts";

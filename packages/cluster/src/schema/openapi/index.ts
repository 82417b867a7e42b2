/**
 * OpenAPI v3 for custom resources. In come CRDs and the built-in schemas they refer to; out comes one document per
 * group-version, and the hash under which clients may keep it. Documents of built-in kinds come with their data.
 */
export { crdOpenApi, type Definitions, documentHash } from "./crd-document.ts";
export { swaggerPath } from "./swagger-path.ts";
export { swaggerSchema } from "./swagger-schema.ts";

/**
 * What a stock Kubernetes API server publishes about its built-in API: schemas, discovery and OpenAPI documents.
 *
 * In come the tables of `../generated`, made from a real server's answers; out go plain JSON values, each parsed when
 * it is first asked for. Descriptions were left out, nothing else.
 */
export * from "./definitions.ts";
export * from "./discovery.ts";
export * from "./openapi-document.ts";

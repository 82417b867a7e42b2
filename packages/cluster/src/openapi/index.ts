/**
 * Publishes the OpenAPI documents of the API server. In: the recorded documents of the built-in kinds and the CRDs of the moment. Out: the index and
 * the documents of OpenAPI v3, and all schemas as one OpenAPI v2 document, which the routes of `api` serve. Documents are built when they are first
 * read, in turns, and kept until a CRD changes.
 */
export { createOpenApiPublisher } from "./publisher.ts";

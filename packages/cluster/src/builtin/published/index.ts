/**
 * The published API of kube-apiserver: OpenAPI definitions, discovery and OpenAPI documents. Takes the tables of
 * `../generated`, recorded from kube-apiserver without descriptions; returns plain JSON values, parsed on first use.
 */
export * from "./definitions.ts";
export * from "./discovery.ts";
export * from "./openapi-document.ts";

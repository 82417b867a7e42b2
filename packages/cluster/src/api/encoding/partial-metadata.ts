import type { JsonObject } from "pintle/kinds";

/** Reduces an object to its metadata. */
export function toPartialObjectMetadata(object: JsonObject, version: "v1" | "v1beta1"): JsonObject {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata: object["metadata"] ?? {} };
}

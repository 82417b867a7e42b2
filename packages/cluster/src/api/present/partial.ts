import type { JsonObject } from "pintle/kinds";

/** Only what every object has. */
export function partialMetadata(object: JsonObject, version: "v1" | "v1beta1"): JsonObject {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata: object["metadata"] ?? {} };
}

/**
 * The CRDs of OLM v1: names, fields, defaults, rules with their messages, and columns as upstream has them. The descriptions are ours.
 *
 * In: the set. Out: CRDs as JSON. Pure.
 */
import type { JsonObject } from "pintle/internal/json";
import { buildClusterCatalogDefinition } from "./cluster-catalog.ts";
import { buildClusterExtensionDefinition } from "./cluster-extension.ts";
import { buildClusterObjectSetDefinition } from "./cluster-object-set.ts";
import type { DefinitionSet } from "./schema.ts";

export type { DefinitionSet } from "./schema.ts";

/** Builds the CRDs. The standard set has no ClusterObjectSet and none of the experimental fields. */
export function buildManagerDefinitions(set: DefinitionSet): JsonObject[] {
  return [
    buildClusterCatalogDefinition(set),
    buildClusterExtensionDefinition(set),
    ...(set === "experimental" ? [buildClusterObjectSetDefinition()] : []),
  ];
}

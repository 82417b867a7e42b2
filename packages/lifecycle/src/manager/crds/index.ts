/**
 * The CRDs of OLM v1: names, fields, defaults, rules with their messages, and columns as upstream has them. The descriptions are ours. Besides, the CRDs of
 * policies and plans, which are ours, and that of OperatorCondition, which operators know from OLM v0.
 *
 * In: the set. Out: CRDs as JSON. Pure.
 */
import type { JsonObject } from "pintle/internal/json";
import { buildClusterCatalogDefinition } from "./cluster-catalog.ts";
import { buildClusterExtensionDefinition } from "./cluster-extension.ts";
import { buildClusterObjectSetDefinition } from "./cluster-object-set.ts";
import { buildExtensionPlanDefinition } from "./extension-plan.ts";
import { buildExtensionPolicyDefinition } from "./extension-policy.ts";
import { buildOperatorConditionDefinition } from "./operator-condition.ts";
import type { DefinitionSet } from "./schema.ts";

export { MAX_PLANNED } from "./extension-plan.ts";
export type { DefinitionSet } from "./schema.ts";

/** Builds the CRDs. The standard set has no ClusterObjectSet and none of the experimental fields. */
export function buildManagerDefinitions(set: DefinitionSet): JsonObject[] {
  return [
    buildClusterCatalogDefinition(set),
    buildClusterExtensionDefinition(set),
    ...(set === "experimental" ? [buildClusterObjectSetDefinition()] : []),
  ];
}

/** Builds the CRDs that upstream does not have: policies, plans, and the conditions by which operators hold upgrades. */
export function buildPolicyDefinitions(): JsonObject[] {
  return [buildExtensionPolicyDefinition(), buildExtensionPlanDefinition(), buildOperatorConditionDefinition()];
}

import type { Pod, ResourceRequirements } from "pintle/kinds/core/v1";
import type { Unvalidated } from "./draft.ts";
import { compareQuantities, nanos } from "./quantities.ts";

const COMPUTE_RESOURCES = ["cpu", "memory"];
type UnvalidatedResources = Unvalidated<ResourceRequirements> | null | undefined;

/** Returns the quality-of-service class of a pod. */
export function getQosClass({ spec }: Unvalidated<Pod>): "Guaranteed" | "Burstable" | "BestEffort" {
  const all: readonly UnvalidatedResources[] = spec?.resources
    ? [spec.resources]
    : [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ resources }) => resources);
  if (!all.some(hasComputeResources)) return "BestEffort";
  return all.every(isGuaranteed) ? "Guaranteed" : "Burstable";
}

function hasComputeResources(resources: UnvalidatedResources): boolean {
  return COMPUTE_RESOURCES.some((name) => isPositive(resources?.requests?.[name]) || isPositive(resources?.limits?.[name]));
}

function isGuaranteed(resources: UnvalidatedResources): boolean {
  return COMPUTE_RESOURCES.every((name) => {
    const limit = resources?.limits?.[name];
    const request = resources?.requests?.[name] ?? limit;
    return isPositive(limit) && compareQuantities(limit!, request!) === 0;
  });
}

function isPositive(quantity: string | null | undefined): boolean {
  return quantity != null && nanos(quantity) > 0n;
}

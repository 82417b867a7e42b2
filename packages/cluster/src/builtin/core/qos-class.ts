import type { Pod, ResourceRequirements } from "pintle/kinds/core/v1";
import type { Loose } from "../draft.ts";
import { compareQuantities, nanos } from "../text/quantities.ts";

const COMPUTE = ["cpu", "memory"];
type Resources = Loose<ResourceRequirements> | null | undefined;

/** How well a pod's resources are assured: all limits given and requested in full, some, or none. */
export function qosClass({ spec }: Loose<Pod>): "Guaranteed" | "Burstable" | "BestEffort" {
  const all: readonly Resources[] = spec?.resources
    ? [spec.resources]
    : [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ resources }) => resources);
  if (!all.some(asksForAnything)) return "BestEffort";
  return all.every(isGuaranteed) ? "Guaranteed" : "Burstable";
}

function asksForAnything(resources: Resources): boolean {
  return COMPUTE.some((name) => isPositive(resources?.requests?.[name]) || isPositive(resources?.limits?.[name]));
}

function isGuaranteed(resources: Resources): boolean {
  return COMPUTE.every((name) => {
    const limit = resources?.limits?.[name];
    const request = resources?.requests?.[name] ?? limit;
    return isPositive(limit) && compareQuantities(limit!, request!) === 0;
  });
}

function isPositive(quantity: string | null | undefined): boolean {
  return quantity != null && nanos(quantity) > 0n;
}

import type { PodSpec } from "pintle/kinds/core/v1";
import { fieldError } from "../../status/index.ts";
import type { Unvalidated } from "../draft.ts";
import { addQuantities, compareQuantities } from "../quantities.ts";
import { validateContainerResources, validateResourceName } from "./resources.ts";
import type { FieldErrors } from "./validators.ts";

const SUPPORTED_POD_RESOURCES = ["cpu", "hugepages-", "memory"];

/** Validates pod-level resources. */
export function* validatePodResources(field: string, spec: Unvalidated<PodSpec>, claims: ReadonlySet<string>): FieldErrors {
  const { resources } = spec;
  if (!resources) return;
  if (spec.os?.name === "windows") return yield fieldError.forbidden(field, "may not be set for a windows pod");
  if (resources.claims?.length) yield fieldError.forbidden(`${field}.claims`, "claims may not be set for Resources at pod-level");
  yield* validateContainerResources(field, resources, claims, validatePodResourceName);
  for (const [name, sum] of sumRequests(spec)) {
    const request = resources.requests?.[name];
    if (request == null || compareQuantities(sum, request) <= 0) continue;
    yield fieldError.invalid(
      `${field}.requests[${name}]`,
      request,
      `must be greater than or equal to aggregate container requests of ${sum}`,
    );
  }
  for (const [i, container] of (spec.containers ?? []).entries()) {
    for (const [name, own] of Object.entries(container.resources?.limits ?? {})) {
      const limit = resources.limits?.[name];
      if (own == null || limit == null || compareQuantities(own, limit) <= 0) continue;
      const at = `${field}.containers[${i}][${name}].limits`;
      yield fieldError.invalid(at, own, `must be less than or equal to pod limits of ${limit}`);
    }
  }
}

function* validatePodResourceName(field: string, name: string): FieldErrors {
  const problems = [...validateResourceName(field, name)];
  yield* problems;
  if (problems.length === 0 && !/^(cpu|memory|hugepages-.*)$/.test(name))
    yield fieldError.notSupported(field, name, SUPPORTED_POD_RESOURCES);
}

function sumRequests({ containers }: Unvalidated<PodSpec>): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  for (const { resources } of containers ?? []) {
    for (const [name, value] of Object.entries(resources?.requests ?? {})) {
      if (value == null) continue;
      const before = all.get(name);
      all.set(name, before === undefined ? value : addQuantities(before, value));
    }
  }
  return all;
}

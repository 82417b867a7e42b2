import type { PodSpec } from "pintle/kinds/core/v1";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { addQuantities, compareQuantities } from "../text/quantities.ts";
import type { Problems } from "./problems.ts";
import { containerResources, resourceName } from "./resources.ts";

const SUPPORTED = ["cpu", "hugepages-", "memory"];

/** What all containers of a pod may use together. */
export function* podResources(field: string, spec: Loose<PodSpec>, claims: ReadonlySet<string>): Problems {
  const { resources } = spec;
  if (!resources) return;
  if (spec.os?.name === "windows") return yield fieldError.forbidden(field, "may not be set for a windows pod");
  if (resources.claims?.length) yield fieldError.forbidden(`${field}.claims`, "claims may not be set for Resources at pod-level");
  yield* containerResources(field, resources, claims, podResourceName);
  for (const [name, sum] of sums(spec)) {
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

function* podResourceName(field: string, name: string): Problems {
  const problems = [...resourceName(field, name)];
  yield* problems;
  if (problems.length === 0 && !/^(cpu|memory|hugepages-.*)$/.test(name)) yield fieldError.notSupported(field, name, SUPPORTED);
}

function sums({ containers }: Loose<PodSpec>): ReadonlyMap<string, string> {
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

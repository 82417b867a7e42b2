import { compileLabelSelector } from "pintle/internal/selectors";
import { parseWindow } from "../../policy/index.ts";
import { describeError } from "../api/failures.ts";
import type { ExtensionPolicy } from "../api/policy-types.ts";
import type { ClusterExtension } from "../api/types.ts";
import { Hold } from "./hold.ts";

/**
 * Selects the policy of an extension: the one that names it, otherwise the one whose selector matches it. Throws `Hold` if two of the same rank match, or if
 * the policy is not valid: any choice could do what one of them forbids.
 */
export function selectPolicy(policies: readonly ExtensionPolicy[], extension: ClusterExtension): ExtensionPolicy | undefined {
  const { name } = extension.metadata;
  const matching = policies.filter(({ spec }) => selects(spec, extension));
  const named = matching.filter(({ spec }) => spec.extensionName !== undefined);
  const candidates = named.length > 0 ? named : matching;
  const [policy, other] = candidates.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  if (other !== undefined) {
    const names = candidates.map(({ metadata }) => metadata.name).sort();
    throw new Hold("InvalidPolicy", `extension ${name} is selected by ${names.length} policies: ${names.join(", ")}`);
  }
  const problem = policy === undefined ? undefined : findPolicyProblem(policy);
  if (problem !== undefined) throw new Hold("InvalidPolicy", `ExtensionPolicy ${policy!.metadata.name}: ${problem}`);
  return policy;
}

/** Whether a policy applies to an extension. */
export function selects(spec: ExtensionPolicy["spec"], { metadata }: ClusterExtension): boolean {
  if (spec.extensionName !== undefined) return spec.extensionName === metadata.name;
  return spec.extensionSelector !== undefined && compileLabelSelector(spec.extensionSelector).matches(metadata.labels ?? {});
}

/** Returns why a policy is not valid although the API server accepts it; undefined if it is valid. */
export function findPolicyProblem({ spec }: ExtensionPolicy): string | undefined {
  if (spec.window === undefined) return undefined;
  try {
    const window = parseWindow(spec.window);
    return window.durationMs > 0 ? undefined : "the window is never open: its duration is 0";
  } catch (error) {
    return describeError(error);
  }
}

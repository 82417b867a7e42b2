import type { Client } from "pintle/client";
import { setCondition } from "../api/conditions.ts";
import { POLICY_FIELD_MANAGER } from "../api/names.ts";
import { type ExtensionPolicy, ExtensionPolicyKind } from "../api/policy-types.ts";
import { writeStatus } from "../api/status.ts";
import type { ClusterExtension } from "../api/types.ts";
import { findPolicyProblem, selects } from "./select-policy.ts";

/** Writes the status of a policy: whether it is valid, and to which extensions it applies. */
export async function writePolicyStatus(
  client: Client,
  policy: ExtensionPolicy,
  extensions: readonly ClusterExtension[],
  now: number,
): Promise<void> {
  const problem = findPolicyProblem(policy);
  const names = extensions.filter((extension) => selects(policy.spec, extension)).map(({ metadata }) => metadata.name);
  const condition = {
    type: "Accepted",
    status: problem === undefined ? ("True" as const) : ("False" as const),
    reason: problem === undefined ? "Accepted" : "InvalidPolicy",
    message: problem ?? "The policy is followed.",
    observedGeneration: policy.metadata.generation ?? 0,
  };
  const conditions = setCondition(policy.status?.conditions ?? [], condition, now);
  await writeStatus(client, ExtensionPolicyKind, policy, { conditions, extensions: names.sort() }, POLICY_FIELD_MANAGER);
}

/** A rule of an RBAC Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[] | undefined;
}

/** The rules that Roles owned by a controller may grant; created by `grantPolicyRules()`. */
export interface PolicyRuleGrant {
  readonly grants: readonly PolicyRule[];
}

/**
 * Declares in `needs` which rules the Roles owned by a controller may grant. The API server rejects a Role that grants more than its writer has, so
 * the operator gets these rules too.
 *
 * @example
 * ```ts
 * import { controller, defineResource, grantPolicyRules, z } from "pintle";
 * import { Role } from "pintle/kinds/rbac/v1";
 *
 * const Team = defineResource({ group: "example.com", version: "v1", kind: "Team", spec: z.object({}) });
 * const rule = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };
 *
 * export const team = controller(Team, {
 *   owns: [Role],
 *   needs: [grantPolicyRules(rule)],
 *   reconcile: ({ object, want }) =>
 *     want({ children: { role: Role.desired({ metadata: { name: object.metadata.name }, rules: [rule] }) } }),
 * });
 * ```
 */
export function grantPolicyRules(...rules: readonly PolicyRule[]): PolicyRuleGrant {
  return Object.freeze({ grants: rules });
}

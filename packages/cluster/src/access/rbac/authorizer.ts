import type { Authorizer, UserInfo } from "../../api/index.ts";
import { goQuote } from "../../status/index.ts";
import type { RoleRef } from "./binding.ts";
import type { Grant, Policy } from "./policy.ts";
import { allowsPath, allowsResource, type PolicyRule } from "./rule.ts";

/** An authorizer that can also say what somebody may do at all. */
export interface RuleAuthorizer extends Authorizer {
  rulesFor(user: UserInfo, namespace: string): UserRules;
}
export interface UserRules {
  readonly rules: readonly PolicyRule[];
  /** Roles that are bound to the user and do not exist. */
  readonly missing: readonly RoleRef[];
}

const MASTERS = "system:masters";
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/** Everybody may do everything. */
export const alwaysAllow: RuleAuthorizer = {
  authorize: async () => ({ allowed: true }),
  rulesFor: () => ({ rules: EVERYTHING, missing: [] }),
};

/** Nobody may do anything. */
export const alwaysDeny: RuleAuthorizer = {
  authorize: async () => ({ allowed: false, reason: "Everything is forbidden." }),
  rulesFor: () => ({ rules: [], missing: [] }),
};

/** What one of them allows is allowed. */
export function anyOf(authorizers: readonly RuleAuthorizer[]): RuleAuthorizer {
  const [first, ...others] = authorizers;
  if (first === undefined) return alwaysDeny;
  if (others.length === 0) return first;
  return {
    async authorize(attributes) {
      const reasons: string[] = [];
      for (const each of authorizers) {
        const { allowed, reason } = await each.authorize(attributes);
        if (allowed) return { allowed, reason };
        if (reason) reasons.push(reason);
      }
      return { allowed: false, reason: reasons.length === 0 ? undefined : reasons.join("\n") };
    },
    rulesFor(user, namespace) {
      const all = authorizers.map((each) => each.rulesFor(user, namespace));
      return { rules: all.flatMap(({ rules }) => rules), missing: all.flatMap((each) => each.missing) };
    },
  };
}

/** Role-based access control; members of system:masters may do everything, whatever roles say. */
export function rbac(policy: Policy): RuleAuthorizer {
  return {
    async authorize({ user, info }) {
      if (isMaster(user)) return { allowed: true };
      const namespace = info.type === "resource" ? info.namespace : "";
      const everywhere = policy.grants(user, "");
      const here = namespace === "" ? [] : policy.grants(user, namespace);
      const allows =
        info.type === "resource"
          ? (rule: PolicyRule) => allowsResource(rule, info)
          : (rule: PolicyRule) => allowsPath(rule, info.verb, info.path);
      const grant = everywhere.find((each) => each.rules.some(allows)) ?? here.find((each) => each.rules.some(allows));
      if (grant !== undefined) return { allowed: true, reason: `RBAC: allowed by ${grant.by()}` };
      const without = [...missing(everywhere), ...missing(here)];
      return { allowed: false, reason: without.length === 0 ? undefined : `RBAC: ${aggregate(without.map(noRole))}` };
    },
    rulesFor(user, namespace) {
      const grants = [...policy.grants(user, ""), ...(namespace === "" ? [] : policy.grants(user, namespace))];
      return { rules: grants.flatMap((each) => each.rules), missing: missing(grants) };
    },
  };
}

export function isMaster({ groups }: UserInfo): boolean {
  return groups.includes(MASTERS);
}

/** Several errors as one text. */
export function aggregate(errors: readonly string[]): string {
  const different = [...new Set(errors)];
  return different.length === 1 ? (different[0] as string) : `[${different.join(", ")}]`;
}

function missing(grants: readonly Grant[]): readonly RoleRef[] {
  return grants.flatMap((each) => each.missing ?? []);
}

export function noRole({ kind, name }: RoleRef): string {
  return `${kind.toLowerCase()}.rbac.authorization.k8s.io ${goQuote(name)} not found`;
}

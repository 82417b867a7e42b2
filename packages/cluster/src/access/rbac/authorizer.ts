import { quoteGoString } from "pintle/internal/go-format";
import type { Authorizer, UserInfo } from "../../api/index.ts";
import { aggregateErrors } from "../../status/index.ts";
import type { RoleRef } from "./binding.ts";
import type { RbacGrant, RbacPolicy } from "./policy.ts";
import { allowsPath, allowsResource, type PolicyRule } from "./rule.ts";

/** An authorizer that can also list the rules of a user. */
export interface RuleAuthorizer extends Authorizer {
  rulesFor(user: UserInfo, namespace: string): UserRules;
}
export interface UserRules {
  readonly rules: readonly PolicyRule[];
  /** Roles that are bound to the user but do not exist. */
  readonly missingRoles: readonly RoleRef[];
  /** Why the user may have more rights than the rules say. Default: it has not. */
  readonly unlisted?: string | undefined;
}

const MASTERS = "system:masters";
const ALL_RULES: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/** Allows every request. */
export const alwaysAllow: RuleAuthorizer = {
  authorize: () => ({ allowed: true }),
  rulesFor: () => ({ rules: ALL_RULES, missingRoles: [] }),
};

/** Denies every request. */
export const alwaysDeny: RuleAuthorizer = {
  authorize: () => ({ allowed: false, reason: "Everything is forbidden." }),
  rulesFor: () => ({ rules: [], missingRoles: [] }),
};

/** Allows what one of the authorizers allows. */
export function createUnionAuthorizer(authorizers: readonly RuleAuthorizer[]): RuleAuthorizer {
  const [first, ...others] = authorizers;
  if (first === undefined) return alwaysDeny;
  if (others.length === 0) return first;
  return {
    authorize(attributes) {
      const reasons: string[] = [];
      for (const each of authorizers) {
        const { allowed, reason } = each.authorize(attributes);
        if (allowed) return { allowed, reason };
        if (reason) reasons.push(reason);
      }
      return { allowed: false, reason: reasons.length === 0 ? undefined : reasons.join("\n") };
    },
    rulesFor(user, namespace) {
      const all = authorizers.map((each) => each.rulesFor(user, namespace));
      const unlisted = all.find((each) => each.unlisted !== undefined)?.unlisted;
      return { rules: all.flatMap(({ rules }) => rules), missingRoles: all.flatMap((each) => each.missingRoles), unlisted };
    },
  };
}

/** Role-based access control; members of system:masters are always allowed. */
export function createRbacAuthorizer(policy: RbacPolicy): RuleAuthorizer {
  return {
    authorize({ user, info }) {
      if (isSystemMaster(user)) return { allowed: true };
      const namespace = info.type === "resource" ? info.namespace : "";
      const everywhere = policy.getGrants(user, "");
      const here = namespace === "" ? [] : policy.getGrants(user, namespace);
      const allows =
        info.type === "resource"
          ? (rule: PolicyRule) => allowsResource(rule, info)
          : (rule: PolicyRule) => allowsPath(rule, info.verb, info.path);
      const grant = everywhere.find((each) => each.rules.some(allows)) ?? here.find((each) => each.rules.some(allows));
      if (grant !== undefined) return { allowed: true, reason: `RBAC: allowed by ${grant.describe()}` };
      const without = [...listMissingRoles(everywhere), ...listMissingRoles(here)];
      return { allowed: false, reason: without.length === 0 ? undefined : `RBAC: ${aggregateErrors(without.map(roleNotFoundMessage))}` };
    },
    rulesFor(user, namespace) {
      const grants = [...policy.getGrants(user, ""), ...(namespace === "" ? [] : policy.getGrants(user, namespace))];
      return { rules: grants.flatMap((each) => each.rules), missingRoles: listMissingRoles(grants) };
    },
  };
}

export function isSystemMaster({ groups }: UserInfo): boolean {
  return groups.includes(MASTERS);
}

function listMissingRoles(grants: readonly RbacGrant[]): readonly RoleRef[] {
  return grants.flatMap((each) => each.missingRole ?? []);
}

export function roleNotFoundMessage({ kind, name }: RoleRef): string {
  return `${kind.toLowerCase()}.rbac.authorization.k8s.io ${quoteGoString(name)} not found`;
}

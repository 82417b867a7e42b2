import type { ClusterRole, PolicyRule, RoleBinding, Subject } from "pintle/kinds/rbac/v1";
import { fieldError, pathSegmentProblems } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { roleBindingTable } from "../table/others.ts";
import { labelSelector } from "../validate/labels.ts";
import { dnsSubdomain, type Problems, required, same } from "../validate/problems.ts";

const GROUP = "rbac.authorization.k8s.io";

export const role = roleRules(true);
export const clusterRole = roleRules(false);
export const roleBinding = bindingRules(true);
export const clusterRoleBinding = bindingRules(false);

function roleRules(namespaced: boolean) {
  return rules<ClusterRole>({
    name: pathSegmentProblems,
    validate: function* (object) {
      for (const [i, rule] of (object.rules ?? []).entries()) yield* policyRule(`rules[${i}]`, rule, namespaced);
      const { aggregationRule } = object;
      if (!aggregationRule) return;
      const at = "aggregationRule.clusterRoleSelectors";
      const selectors = aggregationRule.clusterRoleSelectors ?? [];
      if (selectors.length === 0) yield fieldError.required(at, "at least one clusterRoleSelector required if aggregationRule is non-nil");
      for (const [i, selector] of selectors.entries()) {
        const problems = [...labelSelector(`${at}[${i}]`, selector)];
        yield* problems;
        if (problems.length > 0) yield fieldError.invalid(`${at}[${i}]`, null, "invalid label selector.");
      }
    },
  });
}

function* policyRule(field: string, rule: Loose<PolicyRule>, namespaced: boolean): Problems {
  const { verbs, nonResourceURLs: urls, apiGroups, resources, resourceNames } = rule;
  yield* required(`${field}.verbs`, verbs, "verbs must contain at least one value");
  if (urls?.length) {
    const at = `${field}.nonResourceURLs`;
    if (namespaced) yield fieldError.invalid(at, urls, "namespaced rules cannot apply to non-resource URLs");
    if (apiGroups?.length || resources?.length || resourceNames?.length) {
      yield fieldError.invalid(at, urls, "rules cannot apply to both regular resources and non-resource URLs");
    }
    return;
  }
  yield* required(`${field}.apiGroups`, apiGroups, "resource rules must supply at least one api group");
  yield* required(`${field}.resources`, resources, "resource rules must supply at least one resource");
}

function bindingRules(namespaced: boolean) {
  return rules<RoleBinding>({
    name: pathSegmentProblems,
    validate: (object) => binding(object, namespaced),
    validateUpdate: function* (object, live) {
      yield* binding(object, namespaced);
      if (!same(object.roleRef, live.roleRef)) yield fieldError.invalid("roleRef", refText(object), "cannot change roleRef");
    },
    table: roleBindingTable,
  });
}

/** As the server's own type is written, which is not the one it publishes. */
function refText({ roleRef }: Loose<RoleBinding>): object {
  return { APIGroup: roleRef?.apiGroup, Kind: roleRef?.kind, Name: roleRef?.name };
}

function* binding({ roleRef, subjects }: Loose<RoleBinding>, namespaced: boolean): Problems {
  const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  if (roleRef?.apiGroup !== GROUP) yield fieldError.notSupported("roleRef.apiGroup", roleRef?.apiGroup ?? "", [GROUP]);
  if (!kinds.includes(roleRef?.kind ?? "")) yield fieldError.notSupported("roleRef.kind", roleRef?.kind ?? "", kinds);
  if (!roleRef?.name) yield fieldError.required("roleRef.name");
  else for (const problem of pathSegmentProblems(roleRef.name, false)) yield fieldError.invalid("roleRef.name", roleRef.name, problem);
  for (const [i, subject] of (subjects ?? []).entries()) yield* validateSubject(`subjects[${i}]`, subject, namespaced);
}

function* validateSubject(field: string, { kind, name, apiGroup, namespace }: Loose<Subject>, namespaced: boolean): Problems {
  yield* required(`${field}.name`, name);
  if (kind === "ServiceAccount") {
    if (name) yield* dnsSubdomain(`${field}.name`, name);
    if (apiGroup) yield fieldError.notSupported(`${field}.apiGroup`, apiGroup, [""]);
    if (!namespaced) yield* required(`${field}.namespace`, namespace);
  } else if (kind === "User" || kind === "Group") {
    if (apiGroup !== GROUP) yield fieldError.notSupported(`${field}.apiGroup`, apiGroup ?? "", [GROUP]);
  } else yield fieldError.notSupported(`${field}.kind`, kind ?? "", ["ServiceAccount", "User", "Group"]);
}

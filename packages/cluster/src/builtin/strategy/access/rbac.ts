import type { ClusterRole, PolicyRule, RoleBinding, Subject } from "pintle/kinds/rbac/v1";
import { fieldError, validatePathSegment } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { roleBindingPrinter } from "../../printers/others.ts";
import { validateLabelSelector } from "../../validation/labels.ts";
import { type FieldErrors, isSemanticallyEqual, validateDnsSubdomainField, validateRequired } from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";

const RBAC_GROUP = "rbac.authorization.k8s.io";

export const roleStrategy = createRoleStrategy(true);
export const clusterRoleStrategy = createRoleStrategy(false);
export const roleBindingStrategy = createBindingStrategy(true);
export const clusterRoleBindingStrategy = createBindingStrategy(false);

function createRoleStrategy(namespaced: boolean) {
  return defineStrategy<ClusterRole>({
    validateName: validatePathSegment,
    validate: function* (object) {
      for (const [i, rule] of (object.rules ?? []).entries()) yield* validatePolicyRule(`rules[${i}]`, rule, namespaced);
      const { aggregationRule } = object;
      if (!aggregationRule) return;
      const at = "aggregationRule.clusterRoleSelectors";
      const selectors = aggregationRule.clusterRoleSelectors ?? [];
      if (selectors.length === 0) yield fieldError.required(at, "at least one clusterRoleSelector required if aggregationRule is non-nil");
      for (const [i, selector] of selectors.entries()) {
        const problems = [...validateLabelSelector(`${at}[${i}]`, selector)];
        yield* problems;
        if (problems.length > 0) yield fieldError.invalid(`${at}[${i}]`, null, "invalid label selector.");
      }
    },
  });
}

function* validatePolicyRule(field: string, rule: Unvalidated<PolicyRule>, namespaced: boolean): FieldErrors {
  const { verbs, nonResourceURLs: urls, apiGroups, resources, resourceNames } = rule;
  yield* validateRequired(`${field}.verbs`, verbs, "verbs must contain at least one value");
  if (urls?.length) {
    const at = `${field}.nonResourceURLs`;
    if (namespaced) yield fieldError.invalid(at, urls, "namespaced rules cannot apply to non-resource URLs");
    if (apiGroups?.length || resources?.length || resourceNames?.length) {
      yield fieldError.invalid(at, urls, "rules cannot apply to both regular resources and non-resource URLs");
    }
    return;
  }
  yield* validateRequired(`${field}.apiGroups`, apiGroups, "resource rules must supply at least one api group");
  yield* validateRequired(`${field}.resources`, resources, "resource rules must supply at least one resource");
}

function createBindingStrategy(namespaced: boolean) {
  return defineStrategy<RoleBinding>({
    validateName: validatePathSegment,
    validate: (object) => validateBinding(object, namespaced),
    validateUpdate: function* (object, live) {
      yield* validateBinding(object, namespaced);
      if (!isSemanticallyEqual(object.roleRef, live.roleRef))
        yield fieldError.invalid("roleRef", toInternalRoleRef(object), "cannot change roleRef");
    },
    tablePrinter: roleBindingPrinter,
  });
}

/** Returns the value in the internal version, whose Go field names kube-apiserver prints in errors. */
function toInternalRoleRef({ roleRef }: Unvalidated<RoleBinding>): object {
  return { APIGroup: roleRef?.apiGroup, Kind: roleRef?.kind, Name: roleRef?.name };
}

function* validateBinding({ roleRef, subjects }: Unvalidated<RoleBinding>, namespaced: boolean): FieldErrors {
  const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  if (roleRef?.apiGroup !== RBAC_GROUP) yield fieldError.notSupported("roleRef.apiGroup", roleRef?.apiGroup ?? "", [RBAC_GROUP]);
  if (!kinds.includes(roleRef?.kind ?? "")) yield fieldError.notSupported("roleRef.kind", roleRef?.kind ?? "", kinds);
  if (!roleRef?.name) yield fieldError.required("roleRef.name");
  else for (const problem of validatePathSegment(roleRef.name, false)) yield fieldError.invalid("roleRef.name", roleRef.name, problem);
  for (const [i, subject] of (subjects ?? []).entries()) yield* validateSubject(`subjects[${i}]`, subject, namespaced);
}

function* validateSubject(field: string, { kind, name, apiGroup, namespace }: Unvalidated<Subject>, namespaced: boolean): FieldErrors {
  yield* validateRequired(`${field}.name`, name);
  if (kind === "ServiceAccount") {
    if (name) yield* validateDnsSubdomainField(`${field}.name`, name);
    if (apiGroup) yield fieldError.notSupported(`${field}.apiGroup`, apiGroup, [""]);
    if (!namespaced) yield* validateRequired(`${field}.namespace`, namespace);
  } else if (kind === "User" || kind === "Group") {
    if (apiGroup !== RBAC_GROUP) yield fieldError.notSupported(`${field}.apiGroup`, apiGroup ?? "", [RBAC_GROUP]);
  } else yield fieldError.notSupported(`${field}.kind`, kind ?? "", ["ServiceAccount", "User", "Group"]);
}

import type { JsonObject } from "pintle/kinds";
import { expect, test } from "vitest";
import {
  deriveInstallerRules,
  findMissingRules,
  formatRight,
  formatRules,
  listOperatorRights,
  subtractRights,
} from "../../src/policy/index.ts";

const plurals: Readonly<Record<string, string>> = { ConfigMap: "configmaps", NetworkPolicy: "networkpolicies" };
const pluralOf = (_: string, kind: string) => plurals[kind];
const RBAC = "rbac.authorization.k8s.io";
const role = (kind: string, name: string, rules: readonly JsonObject[], namespace?: string): JsonObject => ({
  apiVersion: `${RBAC}/v1`,
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  rules,
});
const binding = (kind: string, name: string, roleRef: JsonObject, namespace?: string): JsonObject => ({
  apiVersion: `${RBAC}/v1`,
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  roleRef,
});
const OBJECTS: readonly JsonObject[] = [
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b", namespace: "ops" } },
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "ops" } },
  { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name: "deny", namespace: "ops" } },
  role("ClusterRole", "own", [
    { apiGroups: [""], resources: ["pods"], verbs: ["list", "get"] },
    { nonResourceURLs: ["/metrics"], verbs: ["get"] },
  ]),
  role("Role", "leases", [{ apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["*"] }], "ops"),
  binding("ClusterRoleBinding", "own", { kind: "ClusterRole", name: "own" }),
  binding("RoleBinding", "auth", { kind: "Role", name: "extension-apiserver-authentication-reader" }, "kube-system"),
];

test("rights follow from objects: names where possible, the rules of roles, and roles of others to bind", () => {
  expect(formatRules(deriveInstallerRules(OBJECTS, pluralOf)).split("; ").sort()).toEqual(
    [
      "create clusterrolebindings.rbac.authorization.k8s.io",
      "create clusterroles.rbac.authorization.k8s.io",
      "create configmaps in ops",
      "create networkpolicies.networking.k8s.io in ops",
      "create rolebindings.rbac.authorization.k8s.io in kube-system",
      "create roles.rbac.authorization.k8s.io in ops",
      "delete,get,patch,update clusterrolebindings.rbac.authorization.k8s.io own",
      "delete,get,patch,update clusterroles.rbac.authorization.k8s.io own",
      "delete,get,patch,update configmaps a,b in ops",
      "delete,get,patch,update networkpolicies.networking.k8s.io deny in ops",
      "delete,get,patch,update rolebindings.rbac.authorization.k8s.io auth in kube-system",
      "delete,get,patch,update roles.rbac.authorization.k8s.io leases in ops",
      "* leases.coordination.k8s.io in ops",
      "bind roles.rbac.authorization.k8s.io extension-apiserver-authentication-reader in kube-system",
      "get,list pods",
      "get /metrics",
      "update clusterobjectsets/finalizers.olm.operatorframework.io",
    ].sort(),
  );
});

test("every derived rule is needed: without any one of them something is missing", () => {
  const rules = deriveInstallerRules(OBJECTS, pluralOf);
  expect(findMissingRules(rules, rules)).toEqual([]);
  for (const left of rules)
    expect(
      findMissingRules(
        rules,
        rules.filter((rule) => rule !== left),
      ),
    ).toEqual([left]);
});

test.each([
  [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }, true],
  [{ apiGroups: [""], resources: ["*/log"], verbs: ["get"] }, true],
  [{ apiGroups: [""], resources: ["pods/log"], resourceNames: ["a"], verbs: ["get"] }, true],
  [{ apiGroups: [""], resources: ["pods/log"], resourceNames: ["b"], verbs: ["get"] }, false],
  [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }, false],
  [{ apiGroups: ["apps"], resources: ["pods/log"], verbs: ["get"] }, false],
  [{ apiGroups: [""], resources: ["pods/log"], verbs: ["list"] }, false],
])("%j covers reading the log of pod a: %s", (rule, isCovered) => {
  const needed = [{ namespace: "ops", rule: { apiGroups: [""], resources: ["pods/log"], resourceNames: ["a"], verbs: ["get"] } }];
  for (const namespace of [undefined, "ops"]) expect(findMissingRules(needed, [{ namespace, rule }]).length === 0).toBe(isCovered);
  expect(findMissingRules(needed, [{ namespace: "other", rule }])).toHaveLength(1);
});

test("the rights of an operator are compared one by one", () => {
  const before = listOperatorRights(OBJECTS);
  const after = listOperatorRights([role("ClusterRole", "own", [{ apiGroups: [""], resources: ["pods", "secrets"], verbs: ["get"] }])]);
  expect(subtractRights(after, before).map(formatRight)).toEqual(["get secrets"]);
  expect(subtractRights(before, after).map(formatRight)).toEqual(["* leases.coordination.k8s.io in ops", "get /metrics", "list pods"]);
});

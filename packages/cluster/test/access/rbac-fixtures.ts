import type { JsonObject } from "pintle/kinds";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const API_GROUP = "rbac.authorization.k8s.io";

/** Users by token. */
export const users = {
  "token-alice": { name: "alice", uid: "1", groups: ["dev"] },
  "token-bob": { name: "bob", uid: "2", groups: ["ops"] },
  "token-carol": { name: "carol", uid: "3", groups: ["dev", "auditors"] },
  "token-dave": { name: "dave", uid: "4", groups: [] },
  "token-eve": { name: "eve", uid: "5", groups: ["rbac-editors"] },
  "token-root": { name: "root", uid: "6", groups: ["system:masters"] },
} as const;

/** Kubelets by token, and users that are not quite kubelets. */
export const kubelets = {
  "token-n1": { name: "system:node:n1", uid: "7", groups: ["system:nodes"] },
  "token-n2": { name: "system:node:n2", uid: "8", groups: ["system:nodes"] },
  "token-unnamed": { name: "system:node:", uid: "9", groups: ["system:nodes"] },
  "token-groupless": { name: "system:node:n1", uid: "10", groups: [] },
} as const;

/** Namespaces, service accounts, roles and bindings that exist before the scenarios. */
export const rbacFixtures: readonly { readonly path: string; readonly object: JsonObject }[] = [
  ...["a", "b"].map((name) => ({ path: "/api/v1/namespaces", object: { metadata: { name } } })),
  ...["a", "b"].map((namespace) => ({ path: `/api/v1/namespaces/${namespace}/serviceaccounts`, object: { metadata: { name: "robot" } } })),
  clusterRole("pod-reader", [
    { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] },
    { apiGroups: [""], resources: ["pods/log"], verbs: ["get"] },
  ]),
  clusterRole("get-all", [{ apiGroups: ["*"], resources: ["*"], verbs: ["get"] }]),
  clusterRole("scaler", [{ apiGroups: ["apps"], resources: ["*/scale"], verbs: ["get", "update"] }]),
  clusterRole("one-node", [{ apiGroups: [""], resources: ["nodes"], resourceNames: ["n1"], verbs: ["get", "list", "delete"] }]),
  clusterRole("urls", [{ nonResourceURLs: ["/metrics", "/logs/*", "/debug*"], verbs: ["get"] }]),
  clusterRole("rbac-editor", [
    {
      apiGroups: ["rbac.authorization.k8s.io"],
      resources: ["roles", "rolebindings", "clusterroles", "clusterrolebindings"],
      verbs: ["create", "get", "list", "update", "patch", "delete"],
    },
    { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] },
    { apiGroups: ["apps"], resources: ["*"], verbs: ["get"] },
    { apiGroups: ["batch"], resources: ["jobs"], verbs: ["*"] },
    { apiGroups: [""], resources: ["configmaps"], resourceNames: ["a"], verbs: ["get"] },
    { nonResourceURLs: ["/healthz", "/foo/*"], verbs: ["get"] },
  ]),
  role("a", "config-writer", [{ apiGroups: [""], resources: ["configmaps"], verbs: ["create", "update", "patch", "delete"] }]),
  role("a", "two-secrets", [{ apiGroups: [""], resources: ["secrets"], resourceNames: ["s1", "s2"], verbs: ["get", "update"] }]),
  role("b", "apps", [{ apiGroups: ["apps"], resources: ["*"], verbs: ["*"] }]),
  role("b", "status", [{ apiGroups: ["apps"], resources: ["deployments/status"], verbs: ["patch"] }]),
  clusterRoleBinding("dev-reads-pods", "pod-reader", [{ kind: "Group", name: "dev" }]),
  clusterRoleBinding("auditors-get-all", "get-all", [{ kind: "Group", name: "auditors" }]),
  clusterRoleBinding("ops-scale", "scaler", [{ kind: "Group", name: "ops" }]),
  clusterRoleBinding("bob-and-n1", "one-node", [{ kind: "User", name: "bob" }]),
  clusterRoleBinding("bob-urls", "urls", [{ kind: "User", name: "bob" }]),
  clusterRoleBinding("rbac-editors", "rbac-editor", [{ kind: "Group", name: "rbac-editors" }]),
  clusterRoleBinding("dave-dangling", "no-such-role", [{ kind: "User", name: "dave" }]),
  roleBinding("a", "alice-writes-config", { kind: "Role", name: "config-writer" }, [{ kind: "User", name: "alice" }]),
  roleBinding("a", "robots", { kind: "Role", name: "config-writer" }, [
    { kind: "ServiceAccount", name: "robot", namespace: "a" },
    { kind: "ServiceAccount", name: "robot", namespace: "b" },
  ]),
  roleBinding("a", "bob-secrets", { kind: "Role", name: "two-secrets" }, [{ kind: "User", name: "bob" }]),
  roleBinding("b", "dave-reads-pods", { kind: "ClusterRole", name: "pod-reader" }, [{ kind: "User", name: "dave" }]),
  roleBinding("b", "accounts", { kind: "Role", name: "apps" }, [{ kind: "Group", name: "system:serviceaccounts:b" }]),
  roleBinding("b", "alice-status", { kind: "Role", name: "status" }, [{ kind: "User", name: "alice" }]),
  roleBinding("b", "dave-dangling", { kind: "Role", name: "no-such-role" }, [{ kind: "User", name: "dave" }]),
];

function clusterRole(name: string, rules: readonly JsonObject[]) {
  return { path: `${RBAC}/clusterroles`, object: { metadata: { name }, rules } };
}
function role(namespace: string, name: string, rules: readonly JsonObject[]) {
  return { path: `${RBAC}/namespaces/${namespace}/roles`, object: { metadata: { name }, rules } };
}
function clusterRoleBinding(name: string, to: string, subjects: readonly JsonObject[]) {
  const roleRef = { apiGroup: API_GROUP, kind: "ClusterRole", name: to };
  return { path: `${RBAC}/clusterrolebindings`, object: { metadata: { name }, roleRef, subjects } };
}
function roleBinding(namespace: string, name: string, to: { kind: string; name: string }, subjects: readonly JsonObject[]) {
  const object = { metadata: { name }, roleRef: { apiGroup: API_GROUP, ...to }, subjects };
  return { path: `${RBAC}/namespaces/${namespace}/rolebindings`, object };
}

import type { ScenarioStep } from "./scenario.ts";

const WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const ROLE = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const BINDINGS = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";

type Headers = NonNullable<ScenarioStep["headers"]>;
const as = (name: string, more: Headers = {}): Headers => ({ "Impersonate-User": name, ...more });

const wishes: Readonly<Record<string, Headers>> = {
  "a user": as("zoe"),
  "a user with groups": as("zoe", { "Impersonate-Group": ["g1", "g2"] }),
  "a user with a group that has a comma": as("zoe", { "Impersonate-Group": ["g1, g2"] }),
  "a user with a uid": as("zoe", { "Impersonate-Uid": "7" }),
  "a user with extra": as("zoe", { "Impersonate-Extra-Acme.io%2FTeam": ["x", "y"] }),
  "a user with an unqualified extra": as("zoe", { "Impersonate-Extra-Team": "x" }),
  "a member of system:masters": as("zoe", { "Impersonate-Group": "system:masters" }),
  "an unauthenticated user": as("zoe", { "Impersonate-Group": "system:unauthenticated" }),
  "many groups": as("zoe", { "Impersonate-Group": ["g1", "g2", "g3", "g4"] }),
  "a service account": as("system:serviceaccount:a:robot"),
  "a service account with a group": as("system:serviceaccount:a:robot", { "Impersonate-Group": "g1" }),
  "what is almost a service account": as("system:serviceaccount:a"),
  "a node": as("system:node:n1"),
  anonymous: as("system:anonymous"),
  "a group without a user": { "Impersonate-Group": ["g1", "g2"] },
  "a uid without a user": { "Impersonate-Uid": "7" },
  "an extra without a user": { "Impersonate-Extra-Team": ["x", "y"] },
};

function impersonationSteps(title: string, token?: string): readonly ScenarioStep[] {
  return Object.entries(wishes).map(([name, headers]) => ({ step: `${title}: ${name}`, as: token, path: WHO, body: {}, headers }));
}

function grantStep(title: string, rules: readonly object[]): ScenarioStep {
  return {
    step: `${title}: the role`,
    method: "PUT",
    path: `${ROLE}/impersonator`,
    body: { metadata: { name: "impersonator" }, rules: rules as never },
  };
}

const legacy = (apiGroup: string, resource: string, ...resourceNames: string[]) => ({
  apiGroups: [apiGroup],
  resources: [resource],
  verbs: ["impersonate"],
  ...(resourceNames.length === 0 ? {} : { resourceNames }),
});

export const impersonation: readonly ScenarioStep[] = [
  ...impersonationSteps("the administrator"),
  ...impersonationSteps("root", "token-root"),
  {
    step: "dave is bound",
    path: BINDINGS,
    body: {
      metadata: { name: "impersonator" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "impersonator" },
      subjects: [{ kind: "User", name: "bob" }],
    },
  },
  grantStep("nothing", [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }]),
  ...impersonationSteps("nothing", "token-bob"),
  grantStep("users", [legacy("", "users")]),
  ...impersonationSteps("users", "token-bob"),
  grantStep("some of all", [
    legacy("", "users", "zoe"),
    legacy("", "groups", "g1", "system:masters"),
    legacy("", "serviceaccounts"),
    legacy("authentication.k8s.io", "uids"),
    legacy("authentication.k8s.io", "userextras/acme.io/team", "x"),
    legacy("authentication.k8s.io", "userextras/team", "x"),
  ]),
  ...impersonationSteps("some of all", "token-bob"),
  grantStep("constrained", [
    { apiGroups: ["authentication.k8s.io"], resources: ["users", "groups"], verbs: ["impersonate:user-info"] },
    { apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"], verbs: ["impersonate-on:user-info:create"] },
  ]),
  ...impersonationSteps("constrained", "token-bob"),
  {
    step: "constrained to one request",
    as: "token-bob",
    method: "GET",
    path: "/api/v1/namespaces/a/pods",
    headers: as("carol", { "Impersonate-Group": "auditors" }),
  },
  { step: "to look at a page", as: "token-bob", method: "GET", path: "/metrics", headers: as("carol") },
  { step: "what the other may not", method: "GET", path: "/api/v1/secrets", headers: as("zoe") },
];

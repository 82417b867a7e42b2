import type { JsonObject } from "pintle/kinds";
import type { ScenarioStep } from "./scenario.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const API_GROUP = "rbac.authorization.k8s.io";
const EVE = "token-eve";
const MERGE = "application/merge-patch+json";

const rule = (apiGroups: string[], resources: string[], verbs: string[], more: object = {}) => ({ apiGroups, resources, verbs, ...more });
const url = (nonResourceURLs: string[], verbs: string[]) => ({ nonResourceURLs, verbs });

const rules: Readonly<Record<string, readonly object[]>> = {
  "what she holds": [rule([""], ["pods"], ["get"])],
  "nothing at all": [],
  "one verb more": [rule([""], ["pods"], ["get", "delete", "create"])],
  "a resource more": [rule([""], ["pods", "secrets"], ["list", "get"])],
  "a subresource": [rule([""], ["pods/log"], ["get"])],
  "subresources of what she holds all of": [rule(["apps"], ["deployments/scale", "*/scale", "deployments"], ["get"])],
  "what a star covers": [rule(["batch"], ["jobs"], ["get", "frobnicate", "*"])],
  "a star": [rule(["*"], ["*"], ["*"])],
  "a name": [rule([""], ["pods"], ["get", "update"], { resourceNames: ["x"] })],
  "names, held and not": [rule([""], ["configmaps"], ["get", "list"], { resourceNames: ["a", "b"] })],
  "all names of which she holds one": [rule([""], ["configmaps"], ["get"])],
  "paths, held and not": [url(["/foo/bar", "/healthz", "/bar/*", "*"], ["get", "post"])],
  "much at once": [
    rule(["", "apps"], ["pods", "secrets/x"], ["get", "create"]),
    rule([""], ["secrets"], ["get"], { resourceNames: ["b", "a"] }),
    rule([""], ["secrets"], ["list"], { resourceNames: ["a"] }),
    url(["/x"], ["get"]),
  ],
  'quotes "in" names': [rule(['a"b'], ["pods"], ["get"])],
};

const refs: Readonly<Record<string, { readonly kind: string; readonly name: string }>> = {
  "a role she holds": { kind: "ClusterRole", name: "rbac-editor" },
  "a role that is empty": { kind: "ClusterRole", name: "view" },
  "a role beyond hers": { kind: "ClusterRole", name: "scaler" },
  "cluster-admin": { kind: "ClusterRole", name: "cluster-admin" },
  "a cluster role that is not there": { kind: "ClusterRole", name: "nowhere" },
  "a role that is not there": { kind: "Role", name: "nowhere" },
  "a role of the namespace": { kind: "Role", name: "config-writer" },
  "something that is no role": { kind: "Pod", name: "x" },
};

function binding(name: string, roleRef: object): JsonObject {
  return { metadata: { name }, roleRef: { apiGroup: API_GROUP, ...roleRef }, subjects: [{ kind: "User", name: "mallory" }] } as JsonObject;
}

function labelStep(step: string, path: string, metadata: object = { labels: { x: "y" } }): ScenarioStep {
  return { step, as: EVE, method: "PATCH", path: `${RBAC}/${path}?dryRun=All`, body: { metadata } as JsonObject, type: MERGE };
}

const allSteps = (title: string): readonly ScenarioStep[] => [
  ...Object.entries(rules).flatMap(([name, content]) => [
    {
      step: `${title}: a cluster role with ${name}`,
      as: EVE,
      path: `${RBAC}/clusterroles?dryRun=All`,
      show: "refusal" as const,
      body: { metadata: { name: "new" }, rules: content } as JsonObject,
    },
    {
      step: `${title}: a role with ${name}`,
      as: EVE,
      path: `${RBAC}/namespaces/a/roles?dryRun=All`,
      show: "refusal" as const,
      body: { metadata: { name: "new" }, rules: content.filter((each) => !("nonResourceURLs" in each)) } as JsonObject,
    },
  ]),
  ...Object.entries(refs).flatMap(([name, ref]) => [
    {
      step: `${title}: a role binding to ${name}`,
      as: EVE,
      path: `${RBAC}/namespaces/a/rolebindings?dryRun=All`,
      body: binding("new", ref),
    },
    {
      step: `${title}: a cluster role binding to ${name}`,
      as: EVE,
      path: `${RBAC}/clusterrolebindings?dryRun=All`,
      body: binding("new", ref),
    },
  ]),
];

export const escalation: readonly ScenarioStep[] = [
  ...allSteps("as it is"),
  {
    step: "an aggregated role",
    as: EVE,
    path: `${RBAC}/clusterroles`,
    body: { metadata: { name: "new" }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } },
  },
  {
    step: "a role whose name is left to the server",
    as: EVE,
    path: `${RBAC}/clusterroles`,
    body: { metadata: { generateName: "new-" }, rules: [rule([""], ["secrets"], ["get"])] } as JsonObject,
  },
  {
    step: "a role that is there already",
    as: EVE,
    path: `${RBAC}/clusterroles`,
    body: { metadata: { name: "view" }, rules: [rule([""], ["secrets"], ["get"])] } as JsonObject,
  },
  labelStep("a label on a role beyond hers", "clusterroles/scaler"),
  labelStep("a label on an aggregated role", "clusterroles/view"),
  labelStep("a finalizer on a role beyond hers", "clusterroles/scaler", { finalizers: ["example.com/wait"] }),
  labelStep("a label on a role of hers", "clusterroles/rbac-editor"),
  labelStep("a label on a binding beyond hers", "clusterrolebindings/ops-scale"),
  labelStep("a finalizer on a binding beyond hers", "clusterrolebindings/ops-scale", { finalizers: ["example.com/wait"] }),
  {
    step: "a role by apply",
    as: EVE,
    method: "PATCH",
    path: `${RBAC}/clusterroles/applied?fieldManager=eve&dryRun=All`,
    type: "application/apply-patch+yaml",
    body: {
      apiVersion: `${API_GROUP}/v1`,
      kind: "ClusterRole",
      metadata: { name: "applied" },
      rules: [rule([""], ["secrets"], ["get"])],
    } as JsonObject,
  },
  { step: "she may delete what is beyond her", as: EVE, method: "DELETE", path: `${RBAC}/clusterroles/scaler?dryRun=All` },
  {
    step: "she is bound to what is not there",
    path: `${RBAC}/clusterrolebindings`,
    body: {
      metadata: { name: "eve-dangling" },
      roleRef: { apiGroup: API_GROUP, kind: "ClusterRole", name: "gone" },
      subjects: [{ kind: "User", name: "eve" }],
    },
  },
  {
    step: "bound to what is not there",
    as: EVE,
    path: `${RBAC}/clusterroles`,
    body: { metadata: { name: "new" }, rules: [rule([""], ["secrets"], ["get"])] } as JsonObject,
  },
  {
    step: "bind and escalate in a",
    path: `${RBAC}/namespaces/a/roles`,
    body: { metadata: { name: "escalate" }, rules: [rule([API_GROUP], ["roles", "clusterroles"], ["escalate", "bind"])] } as JsonObject,
  },
  {
    step: "eve may bind and escalate in a",
    path: `${RBAC}/namespaces/a/rolebindings`,
    body: {
      metadata: { name: "escalate" },
      roleRef: { apiGroup: API_GROUP, kind: "Role", name: "escalate" },
      subjects: [{ kind: "User", name: "eve" }],
    },
  },
  ...allSteps("with bind and escalate in a"),
];

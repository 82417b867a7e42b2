import type { JsonObject } from "pintle/kinds";
import { users } from "./rbac-fixtures.ts";
import type { ScenarioStep } from "./scenario.ts";

/** A request and its attributes in a SubjectAccessReview. */
interface RequestCase {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: JsonObject;
  readonly type?: string;
  readonly attributes: JsonObject;
}

const APPS = "/apis/apps/v1";
const MERGE = "application/merge-patch+json";
const DRY = "?dryRun=All";
const configMap = (name: string): JsonObject => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

function on(verb: string, resource: string, where: { readonly namespace?: string; readonly name?: string } = {}) {
  const [path = "", subresource] = resource.split("/") as [string, string?];
  const [plural = "", ...group] = path.split(".");
  return {
    resourceAttributes: { verb, group: group.join("."), resource: plural, ...(subresource === undefined ? {} : { subresource }), ...where },
  };
}
const at = (path: string, verb = "get") => ({ nonResourceAttributes: { path, verb } });
const a = (name?: string) => (name === undefined ? { namespace: "a" } : { namespace: "a", name });
const b = (name?: string) => (name === undefined ? { namespace: "b" } : { namespace: "b", name });

const requestCases: readonly RequestCase[] = [
  { name: "list pods everywhere", method: "GET", path: "/api/v1/pods", attributes: on("list", "pods") },
  { name: "list pods in a", method: "GET", path: "/api/v1/namespaces/a/pods", attributes: on("list", "pods", a()) },
  { name: "list pods in b", method: "GET", path: "/api/v1/namespaces/b/pods", attributes: on("list", "pods", b()) },
  { name: "get a pod in b", method: "GET", path: "/api/v1/namespaces/b/pods/x", attributes: on("get", "pods", b("x")) },
  { name: "delete a pod in a", method: "DELETE", path: `/api/v1/namespaces/a/pods/x${DRY}`, attributes: on("delete", "pods", a("x")) },
  {
    name: "delete all pods in a",
    method: "DELETE",
    path: `/api/v1/namespaces/a/pods${DRY}`,
    attributes: on("deletecollection", "pods", a()),
  },
  {
    name: "create a config map in a",
    method: "POST",
    path: `/api/v1/namespaces/a/configmaps${DRY}`,
    body: configMap("x"),
    attributes: on("create", "configmaps", a()),
  },
  {
    name: "create a config map in b",
    method: "POST",
    path: `/api/v1/namespaces/b/configmaps${DRY}`,
    body: configMap("x"),
    attributes: on("create", "configmaps", b()),
  },
  {
    name: "patch a config map in a",
    method: "PATCH",
    path: `/api/v1/namespaces/a/configmaps/x${DRY}`,
    body: {},
    type: MERGE,
    attributes: on("patch", "configmaps", a("x")),
  },
  { name: "list config maps in a", method: "GET", path: "/api/v1/namespaces/a/configmaps", attributes: on("list", "configmaps", a()) },
  { name: "get the secret s1 in a", method: "GET", path: "/api/v1/namespaces/a/secrets/s1", attributes: on("get", "secrets", a("s1")) },
  { name: "get the secret s3 in a", method: "GET", path: "/api/v1/namespaces/a/secrets/s3", attributes: on("get", "secrets", a("s3")) },
  { name: "list secrets in a", method: "GET", path: "/api/v1/namespaces/a/secrets", attributes: on("list", "secrets", a()) },
  { name: "get the secret s1 in b", method: "GET", path: "/api/v1/namespaces/b/secrets/s1", attributes: on("get", "secrets", b("s1")) },
  { name: "get the node n1", method: "GET", path: "/api/v1/nodes/n1", attributes: on("get", "nodes", { name: "n1" }) },
  { name: "get the node n2", method: "GET", path: "/api/v1/nodes/n2", attributes: on("get", "nodes", { name: "n2" }) },
  { name: "list nodes", method: "GET", path: "/api/v1/nodes", attributes: on("list", "nodes") },
  {
    name: "list nodes called n1",
    method: "GET",
    path: "/api/v1/nodes?fieldSelector=metadata.name%3Dn1",
    attributes: on("list", "nodes", { name: "n1" }),
  },
  { name: "delete the node n1", method: "DELETE", path: `/api/v1/nodes/n1${DRY}`, attributes: on("delete", "nodes", { name: "n1" }) },
  {
    name: "get a deployment in b",
    method: "GET",
    path: `${APPS}/namespaces/b/deployments/x`,
    attributes: on("get", "deployments.apps", b("x")),
  },
  {
    name: "list deployments in b",
    method: "GET",
    path: `${APPS}/namespaces/b/deployments`,
    attributes: on("list", "deployments.apps", b()),
  },
  {
    name: "list deployments in a",
    method: "GET",
    path: `${APPS}/namespaces/a/deployments`,
    attributes: on("list", "deployments.apps", a()),
  },
  {
    name: "get the scale of a deployment in a",
    method: "GET",
    path: `${APPS}/namespaces/a/deployments/x/scale`,
    attributes: on("get", "deployments.apps/scale", a("x")),
  },
  {
    name: "patch the scale of a replica set in b",
    method: "PATCH",
    path: `${APPS}/namespaces/b/replicasets/x/scale`,
    body: {},
    type: MERGE,
    attributes: on("patch", "replicasets.apps/scale", b("x")),
  },
  {
    name: "patch the status of a deployment in b",
    method: "PATCH",
    path: `${APPS}/namespaces/b/deployments/x/status`,
    body: {},
    type: MERGE,
    attributes: on("patch", "deployments.apps/status", b("x")),
  },
  {
    name: "get the namespace a",
    method: "GET",
    path: "/api/v1/namespaces/a",
    attributes: on("get", "namespaces", { namespace: "a", name: "a" }),
  },
  { name: "list namespaces", method: "GET", path: "/api/v1/namespaces?limit=1", attributes: on("list", "namespaces") },
  {
    name: "list cluster roles",
    method: "GET",
    path: "/apis/rbac.authorization.k8s.io/v1/clusterroles?limit=1",
    attributes: on("list", "clusterroles.rbac.authorization.k8s.io"),
  },
  {
    name: "list what no group serves",
    method: "GET",
    path: "/apis/nobody.example.com/v1/things",
    attributes: on("list", "things.nobody.example.com"),
  },
  {
    name: "get what no group serves",
    method: "GET",
    path: "/apis/nobody.example.com/v1/namespaces/a/things/x",
    attributes: on("get", "things.nobody.example.com", a("x")),
  },
  {
    name: "watch pods in a",
    method: "GET",
    path: "/api/v1/namespaces/a/pods?watch=1&timeoutSeconds=1",
    attributes: on("watch", "pods", a()),
  },
  { name: "get /version", method: "GET", path: "/version", attributes: at("/version") },
  { name: "get /apis", method: "GET", path: "/apis", attributes: at("/apis") },
  { name: "get /logs/x", method: "GET", path: "/logs/x", attributes: at("/logs/x") },
  { name: "get /debugging", method: "GET", path: "/debugging", attributes: at("/debugging") },
  { name: "post /logs/x", method: "POST", path: "/logs/x", attributes: at("/logs/x", "post") },
  { name: "get /nothing", method: "GET", path: "/nothing", attributes: at("/nothing") },
];

/** Service accounts and the anonymous user, besides the users with tokens. */
const others = [
  { title: "robot of a", name: "system:serviceaccount:a:robot", groups: ["system:serviceaccounts", "system:serviceaccounts:a"] },
  { title: "robot of b", name: "system:serviceaccount:b:robot", groups: ["system:serviceaccounts", "system:serviceaccounts:b"] },
];

const step = (title: string, name: string) => `${title}: ${name}`;

/** Every user sends every request. */
export const requests: readonly ScenarioStep[] = [
  ...Object.entries(users).map(([token, { name }]) => ({ title: name as string, token })),
  { title: "anonymous", token: "" },
].flatMap(({ title, token }) =>
  requestCases.map(({ name, method, path, body, type }) => ({
    step: step(title, name),
    as: token,
    method,
    path,
    body,
    type,
    show: "refusal" as const,
  })),
);

/** The same as access reviews, also for service accounts. */
export const questions: readonly ScenarioStep[] = [
  ...Object.values(users).map(({ name, groups }) => ({
    title: name as string,
    name: name as string,
    groups: [...groups, "system:authenticated"],
  })),
  ...others.map(({ groups, ...rest }) => ({ ...rest, groups: [...groups, "system:authenticated"] })),
  { title: "anonymous", name: "system:anonymous", groups: ["system:unauthenticated"] },
].flatMap(({ title, name: user, groups }) =>
  requestCases.map(({ name, attributes }) => ({
    step: step(title, name),
    path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    body: { spec: { user, groups, ...attributes } } as JsonObject,
    // With several matching bindings the server may name any of them.
    show: name === "get /version" || step(title, name) === "carol: get a pod in b" ? ("allowed" as const) : ("decision" as const),
  })),
);

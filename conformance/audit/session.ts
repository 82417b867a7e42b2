import type { Target } from "../api/target.ts";

/** One request of the session; its Audit-ID is its place in the session. */
export interface SessionRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the response is a stream of events, read to its end. Default: false. */
  readonly watch?: true;
}

const NAMESPACE = "/api/v1/namespaces/audited";
const configMap = (name: string, data: object = { a: "1" }, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  data,
});
const patchAs = (type: string) => ({ "content-type": type });
const as = (user: string, ...groups: readonly string[]): Readonly<Record<string, string>> => ({
  "impersonate-user": user,
  ...(groups[0] === undefined ? {} : { "impersonate-group": groups[0] }),
});
const pod = (name: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "main", image: "registry.example/main:1" }], terminationGracePeriodSeconds: 0 },
});
const template = { metadata: { labels: { app: "web" } }, spec: pod("").spec };
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: { replicas: 0, selector: { matchLabels: { app: "web" } }, template },
};
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    names: { kind: "Widget", plural: "widgets" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { size: { type: "integer", default: 1 } } } },
          },
        },
      },
    ],
  },
};
const review = (apiVersion: string, kind: string, spec: object) => ({ apiVersion, kind, spec });

/** Requests with which every level, stage, kind of body and kind of outcome appears in the log. */
export const session: readonly SessionRequest[] = [
  // Creates
  { method: "POST", path: "/api/v1/namespaces", body: { apiVersion: "v1", kind: "Namespace", metadata: { name: "audited" } } },
  { method: "POST", path: "/api/v1/namespaces", body: { apiVersion: "v1", kind: "Namespace", metadata: { name: "quiet" } } },
  { method: "POST", path: `${NAMESPACE}/configmaps`, body: configMap("one") },
  { method: "POST", path: `${NAMESPACE}/configmaps?dryRun=All&fieldManager=me`, body: configMap("two") },
  { method: "POST", path: `${NAMESPACE}/configmaps`, body: configMap("one") },
  {
    method: "POST",
    path: `${NAMESPACE}/configmaps`,
    body: "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: three\n",
    headers: patchAs("application/yaml"),
  },
  { method: "POST", path: `${NAMESPACE}/configmaps`, body: configMap("Not A Name") },
  { method: "POST", path: `${NAMESPACE}/configmaps`, body: "{" },
  { method: "POST", path: `${NAMESPACE}/configmaps`, body: configMap("unlogged") },
  {
    method: "POST",
    path: `${NAMESPACE}/secrets`,
    body: { apiVersion: "v1", kind: "Secret", metadata: { name: "key" }, stringData: { a: "b" } },
  },
  { method: "POST", path: "/api/v1/namespaces/quiet/configmaps", body: configMap("one") },
  { method: "POST", path: `${NAMESPACE}/serviceaccounts`, body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } } },
  {
    method: "POST",
    path: `${NAMESPACE}/serviceaccounts/robot/token`,
    body: review("authentication.k8s.io/v1", "TokenRequest", { expirationSeconds: 600 }),
  },
  { method: "POST", path: `${NAMESPACE}/pods`, body: pod("main") },
  { method: "POST", path: "/apis/apps/v1/namespaces/audited/deployments", body: deployment },
  { method: "POST", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All", body: definition },
  {
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    body: review("authorization.k8s.io/v1", "SelfSubjectAccessReview", { resourceAttributes: { verb: "get", resource: "pods" } }),
  },
  // Reads
  { method: "GET", path: `${NAMESPACE}/configmaps/one` },
  {
    method: "GET",
    path: `${NAMESPACE}/configmaps/one`,
    headers: { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" },
  },
  { method: "GET", path: `${NAMESPACE}/configmaps/one`, headers: { accept: "application/vnd.kubernetes.protobuf" } },
  { method: "GET", path: `${NAMESPACE}/configmaps/none` },
  { method: "GET", path: `${NAMESPACE}/configmaps?limit=1&labelSelector=a%3Db` },
  { method: "GET", path: `${NAMESPACE}/configmaps?fieldSelector=metadata.name%3Done` },
  { method: "GET", path: `${NAMESPACE}/secrets` },
  { method: "GET", path: "/api/v1/namespaces/audited" },
  { method: "GET", path: "/api/v1/namespaces/audited/status" },
  { method: "GET", path: "/apis/apps/v1/namespaces/audited/deployments/web/scale" },
  {
    method: "GET",
    path: "/apis/apps/v1/namespaces/audited/deployments",
    headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
  },
  { method: "GET", path: `${NAMESPACE}/configmaps?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dnone`, watch: true },
  { method: "GET", path: `${NAMESPACE}/configmaps?watch=1&resourceVersion=abc` },
  { method: "GET", path: `${NAMESPACE}/pods/main/log` },
  // Paths without resource
  { method: "GET", path: "/healthz/ping" },
  { method: "GET", path: "/livez" },
  { method: "GET", path: "/version" },
  { method: "GET", path: "/no/such/path?x=1" },
  { method: "GET", path: "/apis/example.com/v1/widgets" },
  { method: "POST", path: "/version" },
  { method: "GET", path: `${NAMESPACE}/configmaps?timeout=abc` },
  { method: "PUT", path: `${NAMESPACE}/configmaps`, body: configMap("one") },
  // Updates and patches
  { method: "PUT", path: `${NAMESPACE}/configmaps/one`, body: configMap("one", { a: "2" }) },
  { method: "PUT", path: `${NAMESPACE}/configmaps/one`, body: configMap("one", { a: "3" }, { resourceVersion: "1" }) },
  { method: "PATCH", path: `${NAMESPACE}/configmaps/one`, body: { data: { b: "1" } }, headers: patchAs("application/merge-patch+json") },
  {
    method: "PATCH",
    path: `${NAMESPACE}/configmaps/one`,
    body: [{ op: "add", path: "/data/c", value: "1" }],
    headers: patchAs("application/json-patch+json"),
  },
  {
    method: "PATCH",
    path: `${NAMESPACE}/configmaps/one`,
    body: { data: { d: "1" } },
    headers: patchAs("application/strategic-merge-patch+json"),
  },
  {
    method: "PATCH",
    path: `${NAMESPACE}/configmaps/applied?fieldManager=me`,
    body: configMap("applied"),
    headers: patchAs("application/apply-patch+yaml"),
  },
  {
    method: "PATCH",
    path: `${NAMESPACE}/configmaps/applied?fieldManager=me`,
    body: "kind: ConfigMap\napiVersion: v1\ndata:\n  e: '1'\n",
    headers: patchAs("application/apply-patch+yaml"),
  },
  { method: "PATCH", path: `${NAMESPACE}/configmaps/none`, body: {}, headers: patchAs("application/merge-patch+json") },
  { method: "PATCH", path: `${NAMESPACE}/configmaps/one`, body: {}, headers: patchAs("text/plain") },
  {
    method: "PUT",
    path: "/apis/apps/v1/namespaces/audited/deployments/web/scale",
    body: { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "web", namespace: "audited" }, spec: { replicas: 1 } },
  },
  // Users
  { method: "GET", path: `${NAMESPACE}/configmaps`, headers: as("alice", "readers") },
  { method: "GET", path: "/version", headers: as("alice") },
  { method: "GET", path: `${NAMESPACE}/configmaps/one`, headers: as("carol@example.com") },
  { method: "GET", path: `${NAMESPACE}/configmaps`, headers: { "impersonate-group": "readers" } },
  {
    method: "GET",
    path: "/version",
    headers: { "user-agent": "u".repeat(2000), "x-forwarded-for": "192.0.2.1, 192.0.2.2", "x-real-ip": "192.0.2.3" },
  },
  // Deletes
  { method: "DELETE", path: `${NAMESPACE}/configmaps/three` },
  {
    method: "DELETE",
    path: `${NAMESPACE}/configmaps/applied`,
    body: { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0, preconditions: { uid: "no" } },
  },
  { method: "DELETE", path: `${NAMESPACE}/configmaps/applied?propagationPolicy=Background` },
  { method: "DELETE", path: `${NAMESPACE}/configmaps/none` },
  {
    method: "POST",
    path: `${NAMESPACE}/pods/main/eviction`,
    body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "main" } },
  },
  { method: "DELETE", path: `${NAMESPACE}/configmaps?labelSelector=none%3Dsuch` },
];

/** Sends the session, one request after the other. */
export async function runSession(target: Target): Promise<void> {
  for (const [index, { method, path, body, headers = {}, watch }] of session.entries()) {
    const sent = { ...headers, "audit-id": `request-${index}` };
    if (watch === undefined) await target.send(method, path, body, sent);
    else {
      const stream = await target.watch(path, sent);
      await stream.events(Number.POSITIVE_INFINITY);
    }
  }
}

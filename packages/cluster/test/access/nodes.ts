import type { JsonObject } from "pintle/kinds";
import type { ScenarioStep } from "./scenario.ts";

/** Requests of kubelets: the Node authorizer and the admission plugin NodeRestriction. */

const A = "/api/v1/namespaces/a";
const container = { name: "main", image: "busybox" };

const pod = (name: string, spec: object, metadata: object = {}): JsonObject => ({
  metadata: { name, ...metadata },
  spec: { serviceAccountName: "robot", automountServiceAccountToken: false, containers: [container], ...spec },
});
const volumeOf = (name: string, claim: string, secret: string): JsonObject => ({
  metadata: { name },
  spec: {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    claimRef: { namespace: "a", name: claim },
    csi: {
      driver: "d.example.com",
      volumeHandle: name,
      nodePublishSecretRef: { namespace: "a", name: secret },
      controllerPublishSecretRef: { namespace: "a", name: `${secret}-controller` },
    },
  },
});
const create = (step: string, path: string, body: JsonObject): ScenarioStep => ({ step, path, body, show: "code" });

const NEEDS: JsonObject = {
  nodeName: "n1",
  imagePullSecrets: [{ name: "pull" }],
  initContainers: [{ ...container, name: "init", envFrom: [{ secretRef: { name: "env-from" } }, { configMapRef: { name: "env-from" } }] }],
  containers: [
    {
      ...container,
      env: [
        { name: "A", valueFrom: { secretKeyRef: { name: "env", key: "k" } } },
        { name: "B", valueFrom: { configMapKeyRef: { name: "env", key: "k" } } },
      ],
    },
  ],
  volumes: [
    { name: "s", secret: { secretName: "volume" } },
    { name: "c", configMap: { name: "volume" } },
    { name: "p", projected: { sources: [{ secret: { name: "projected" } }, { configMap: { name: "projected" } }] } },
    { name: "claim", persistentVolumeClaim: { claimName: "data" } },
    {
      name: "scratch",
      ephemeral: {
        volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
      },
    },
  ],
};

const setup: readonly ScenarioStep[] = [
  ...["n1", "n2"].map((name) => create(`node ${name}`, "/api/v1/nodes", { metadata: { name } })),
  create("a pod on n1", `${A}/pods`, pod("on-n1", NEEDS)),
  create("a pod on n2", `${A}/pods`, pod("on-n2", { nodeName: "n2", volumes: [{ name: "s", secret: { secretName: "two" } }] })),
  create("a pod on no node", `${A}/pods`, pod("pending", { volumes: [{ name: "s", secret: { secretName: "three" } }] })),
  create("a volume of the claim", "/api/v1/persistentvolumes", volumeOf("pv-data", "data", "driver")),
  create("a volume of another claim", "/api/v1/persistentvolumes", volumeOf("pv-other", "other", "other")),
  // The authorizer of a real server follows pods through a watch; a write of a role waits for it.
  create("a role", "/apis/rbac.authorization.k8s.io/v1/clusterroles", { metadata: { name: "unused" }, rules: [] }),
];

/** [token, method, path, body] */
type Attempt = readonly [as: string, method: string, path: string, body?: JsonObject];

const reads: readonly Attempt[] = [
  ...["pull", "env-from", "env", "volume", "projected", "driver", "driver-controller", "two", "three", "other"].map(
    (name): Attempt => ["token-n1", "GET", `${A}/secrets/${name}`],
  ),
  ...["env-from", "env", "volume", "projected", "two"].map((name): Attempt => ["token-n1", "GET", `${A}/configmaps/${name}`]),
  ["token-n2", "GET", `${A}/secrets/two`],
  ["token-n2", "GET", `${A}/secrets/volume`],
  ["token-groupless", "GET", `${A}/secrets/volume`],
  ["token-unnamed", "GET", `${A}/secrets/volume`],
  ["token-n1", "GET", "/api/v1/secrets"],
  ["token-n1", "GET", `${A}/secrets`],
  ["token-n1", "GET", `${A}/secrets?fieldSelector=metadata.name%3Dvolume`],
  ["token-n1", "GET", `${A}/secrets?fieldSelector=metadata.name%3Dtwo`],
  ["token-n1", "DELETE", `${A}/secrets/volume`],
  ["token-n1", "GET", `${A}/persistentvolumeclaims/data`],
  ["token-n1", "GET", `${A}/persistentvolumeclaims/on-n1-scratch`],
  ["token-n1", "GET", `${A}/persistentvolumeclaims/other`],
  ["token-n1", "GET", `${A}/persistentvolumeclaims`],
  ["token-n1", "GET", `${A}/persistentvolumeclaims/data/status`],
  ["token-n1", "GET", "/api/v1/persistentvolumes/pv-data"],
  ["token-n1", "GET", "/api/v1/persistentvolumes/pv-other"],
  ["token-n2", "GET", "/api/v1/persistentvolumes/pv-data"],
  ["token-n1", "GET", `${A}/serviceaccounts/robot`],
  ["token-n1", "GET", `${A}/serviceaccounts/default`],
  ["token-n1", "GET", `${A}/serviceaccounts`],
  ["token-n1", "GET", `${A}/pods/on-n1`],
  ["token-n1", "GET", `${A}/pods/on-n2`],
  ["token-n1", "GET", `${A}/pods/on-n1/log`],
  ["token-n1", "GET", "/api/v1/pods"],
  ["token-n1", "GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1"],
  ["token-n1", "GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Dn2"],
  ["token-n1", "GET", "/api/v1/pods?fieldSelector=spec.nodeName!%3Dn1"],
  ["token-n1", "GET", `${A}/pods?fieldSelector=metadata.name%3Don-n1`],
  ["token-n1", "GET", `${A}/pods?fieldSelector=metadata.name%3Don-n2`],
  ["token-n1", "DELETE", `${A}/pods?fieldSelector=spec.nodeName%3Dn1`],
  ["token-n1", "GET", "/api/v1/nodes"],
  ["token-n1", "GET", "/api/v1/nodes/n1"],
  ["token-n1", "GET", "/api/v1/nodes/n2"],
  ["token-n1", "GET", "/api/v1/nodes?fieldSelector=metadata.name%3Dn1"],
  ["token-n1", "DELETE", "/api/v1/nodes/n1"],
  ["token-n1", "GET", "/api/v1/services"],
  ["token-n1", "GET", "/api/v1/namespaces"],
  ["token-n1", "GET", "/apis/apps/v1/deployments"],
  ["token-n1", "GET", "/apis/certificates.k8s.io/v1/certificatesigningrequests"],
  ["token-n1", "GET", "/apis/storage.k8s.io/v1/csidrivers"],
  ["token-n1", "GET", "/apis/storage.k8s.io/v1/csinodes"],
  ["token-n1", "GET", "/apis/storage.k8s.io/v1/csinodes/n2"],
  ["token-n1", "GET", "/apis/storage.k8s.io/v1/volumeattachments"],
  ["token-n1", "GET", "/apis/resource.k8s.io/v1/resourceslices"],
  ["token-n1", "GET", "/apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec.nodeName%3Dn1"],
  ["token-n1", "GET", "/apis/coordination.k8s.io/v1/leases"],
  ["token-n1", "GET", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n2"],
  ["token-n1", "GET", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/n1"],
];

const lease = (name: string): JsonObject => ({ metadata: { name }, spec: { holderIdentity: name } });
const LEASES = "/apis/coordination.k8s.io/v1/namespaces";
const token = (name: string, uid = ""): JsonObject => ({ spec: { boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid } } });
const READY: JsonObject = { status: { conditions: [{ type: "Ready", status: "True" }] } };

const writes: readonly Attempt[] = [
  ["token-n1", "PATCH", "/api/v1/nodes/n1/status", READY],
  ["token-n1", "PATCH", "/api/v1/nodes/n2/status", READY],
  ["token-n1", "PATCH", "/api/v1/nodes/n1", { metadata: { annotations: { a: "b" } } }],
  ["token-n1", "PATCH", "/api/v1/nodes/n1", { metadata: { labels: { "node-restriction.kubernetes.io/a": "b" } } }],
  ["token-n1", "PATCH", "/api/v1/nodes/n2", { metadata: { annotations: { a: "b" } } }],
  ["token-n1", "POST", "/api/v1/nodes", { metadata: { name: "n3" } }],
  ["token-n1", "PATCH", `${A}/pods/on-n1/status`, { status: { phase: "Running" } }],
  ["token-n1", "PATCH", `${A}/pods/on-n2/status`, { status: { phase: "Running" } }],
  ["token-n1", "PATCH", `${A}/pods/on-n1`, { metadata: { labels: { a: "b" } } }],
  ["token-n1", "POST", `${A}/pods`, pod("mine", { nodeName: "n1" })],
  ["token-n1", "DELETE", `${A}/pods/on-n2`],
  ["token-n1", "POST", `${LEASES}/kube-node-lease/leases`, lease("n1")],
  ["token-n1", "POST", `${LEASES}/kube-node-lease/leases`, lease("n2")],
  ["token-n1", "POST", `${LEASES}/a/leases`, lease("n1")],
  ["token-n1", "POST", `${A}/serviceaccounts/default/token`, token("on-n1")],
  ["token-n1", "POST", `${A}/serviceaccounts/robot/token`, token("on-n2")],
  ["token-n1", "POST", `${A}/serviceaccounts/robot/token`, { spec: {} }],
  ["token-n1", "POST", `${A}/secrets`, { metadata: { name: "x" } }],
  ["token-n1", "POST", `${A}/configmaps`, { metadata: { name: "x" } }],
];

const review = (name: string, user: string, resourceAttributes: JsonObject): ScenarioStep => ({
  step: name,
  path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
  body: {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: { user, groups: ["system:nodes"], resourceAttributes },
  },
  show: "decision",
});
const listPods = (fieldSelector: JsonObject): JsonObject => ({ verb: "list", resource: "pods", version: "v1", fieldSelector });
const onNode = (operator: string, ...values: string[]): JsonObject => ({ requirements: [{ key: "spec.nodeName", operator, values }] });

const toStep = ([as, method, path, body]: Attempt, i: number, all: readonly Attempt[]): ScenarioStep => ({
  step: `${as} ${method} ${path}${all.findIndex((other) => other[0] === as && other[1] === method && other[2] === path) === i ? "" : ` (${i})`}`,
  as,
  method,
  path: method === "GET" || path.includes("/token") ? path : `${path}${path.includes("?") ? "&" : "?"}dryRun=All`,
  body,
  ...(method === "PATCH" ? { type: "application/merge-patch+json" } : {}),
  show: "refusal",
});

export const nodes: readonly ScenarioStep[] = [
  ...setup,
  ...[...reads, ...writes].map(toStep),
  review("review: a raw selector", "system:node:n1", listPods({ rawSelector: "spec.nodeName=n1" })),
  review("review: a raw selector of another node", "system:node:n1", listPods({ rawSelector: "spec.nodeName=n2" })),
  review("review: one value", "system:node:n1", listPods(onNode("In", "n1"))),
  review("review: two values", "system:node:n1", listPods(onNode("In", "n1", "n2"))),
  review("review: one usable requirement", "system:node:n1", {
    ...listPods({
      requirements: [
        { key: "spec.nodeName", operator: "In", values: ["n1"] },
        { key: "a", operator: "Exists" },
      ],
    }),
  }),
  review("review: a broken raw selector", "system:node:n1", listPods({ rawSelector: "spec.nodeName=n1,a" })),
  review("review: not the node", "system:node:n1", listPods(onNode("NotIn", "n1"))),
  {
    step: "rules of a kubelet",
    as: "token-n1",
    path: "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
    body: { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectRulesReview", spec: { namespace: "a" } },
    show: "decision",
  },
  { step: "the pod is deleted", method: "DELETE", path: `${A}/pods/on-n1?gracePeriodSeconds=0`, show: "code" },
  create("a second role", "/apis/rbac.authorization.k8s.io/v1/clusterroles", { metadata: { name: "unused-too" }, rules: [] }),
  { step: "access ends with the pod", as: "token-n1", method: "GET", path: `${A}/secrets/volume`, show: "refusal" },
];

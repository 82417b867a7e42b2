import { type Case, MERGE, type Placed, PODS, pod, type Step } from "../case.ts";

const NODES = "/api/v1/nodes";
const CLAIMS = "/api/v1/namespaces/NS/persistentvolumeclaims";
const ACCOUNTS = "/api/v1/namespaces/NS/serviceaccounts";
const CSI = "/apis/storage.k8s.io/v1/csinodes";
const SLICES = "/apis/resource.k8s.io/v1/resourceslices";
const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

/** The kubelet of the node that is called as the namespace, which may do everything as far as roles go. */
const kubelet = { "impersonate-user": "system:node:NS", "impersonate-group": "system:nodes" };
const patched = { ...MERGE, ...kubelet };
const rights: Placed = [
  "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "NS-kubelet" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: ["system:node:NS", "system:node:"].map((name) => ({ apiGroup: "rbac.authorization.k8s.io", kind: "User", name })),
  },
];

const node = (name: string, more: object = {}, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, ...metadata },
  ...more,
});
const nodes: readonly Placed[] = [rights, [NODES, node("NS")], [NODES, node("NS-other")]];
const labelled = (labels: object): Step => ["PATCH", `${NODES}/NS`, { metadata: { labels } }, patched];
const restricted = (title: string, steps: readonly Step[], more: readonly Placed[] = []): Case => ({
  title,
  objects: [...nodes, ...more],
  steps,
});

const uid: Step = ["GET", `${NODES}/NS`];
/** A mirror pod of the node, but for what is said here; the node was read first. */
const mirror =
  (spec: object = {}, owner: object = {}, metadata: object = {}): Step =>
  ([first]) => [
    "POST",
    PODS,
    pod(
      "a",
      { nodeName: "NS", ...spec },
      {
        annotations: { "kubernetes.io/config.mirror": "x" },
        ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "NS", uid: first?.body.metadata.uid, controller: true, ...owner }],
        ...metadata,
      },
    ),
    kubelet,
  ];
const volume = (source: object) => ({ volumes: [{ name: "v", ...source }] });
const here = pod("here", { nodeName: "NS" });
const there = pod("there", { nodeName: "NS-other" });
const running: readonly Placed[] = [
  [PODS, here],
  [PODS, there],
];

export const kubelets: readonly Case[] = [
  restricted("a node makes itself", [
    ["DELETE", `${NODES}/NS`],
    ["POST", NODES, node("NS", {}, { labels: { "kubernetes.io/os": "linux", "example.com/a": "b" } }), kubelet],
    ["POST", NODES, node("NS-third"), kubelet],
  ]),
  restricted("a node makes itself with labels that are not its own to set", [
    ["DELETE", `${NODES}/NS`],
    ["POST", NODES, node("NS", {}, { labels: { "node-role.kubernetes.io/control-plane": "", "kubernetes.io/z": "" } }), kubelet],
    ["POST", NODES, node("NS", {}, { labels: { "node-restriction.kubernetes.io/a": "b" } }), kubelet],
    ["POST", NODES, node("NS", { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } }), kubelet],
  ]),
  restricted("labels that a node may set", [
    labelled({ "kubernetes.io/hostname": "x", "topology.kubernetes.io/zone": "z", "beta.kubernetes.io/arch": "amd64" }),
    labelled({ "node.kubernetes.io/anything": "x", "kubelet.kubernetes.io/anything": "x", "a.kubelet.kubernetes.io/b": "x" }),
    labelled({ "example.com/a": "b", plain: "" }),
    labelled({ "example.com/a": null }),
  ]),
  restricted("labels that a node may not set", [
    labelled({ "node-restriction.kubernetes.io/a": "b" }),
    labelled({ "sub.node-restriction.kubernetes.io/a": "b", "example.com/b": "c" }),
    labelled({ "node-role.kubernetes.io/worker": "", "kubernetes.io/b": "", "k8s.io/a": "" }),
    labelled({ "x.k8s.io/a": "" }),
  ]),
  restricted("labels that a node may not change", [
    ["PATCH", `${NODES}/NS`, { metadata: { labels: { "node-restriction.kubernetes.io/a": "b", "k8s.io/b": "c" } } }, MERGE],
    labelled({ "node-restriction.kubernetes.io/a": null }),
    labelled({ "k8s.io/b": "d" }),
    labelled({ "k8s.io/b": null }),
  ]),
  restricted("taints, owners and status of a node", [
    ["PATCH", `${NODES}/NS`, { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } }, patched],
    ["PATCH", `${NODES}/NS`, { spec: { unschedulable: true } }, patched],
    ["PATCH", `${NODES}/NS`, { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "x", uid: "y" }] } }, patched],
    ["PATCH", `${NODES}/NS/status`, { status: { conditions: [{ type: "Ready", status: "True" }] } }, patched],
    ["PATCH", `${NODES}/NS/status`, { metadata: { labels: { "k8s.io/a": "b" } } }, patched],
    ["PATCH", `${NODES}/NS-other/status`, { status: { conditions: [{ type: "Ready", status: "True" }] } }, patched],
    ["PATCH", `${NODES}/NS-other`, { metadata: { labels: { a: "b" } } }, patched],
  ]),
  restricted("a node deletes nodes", [
    ["DELETE", `${NODES}/NS-other`, undefined, kubelet],
    ["DELETE", `${NODES}/NS`, undefined, kubelet],
  ]),
  restricted("a node without a name", [
    ["PATCH", `${NODES}/NS`, { metadata: { labels: { a: "b" } } }, { ...patched, "impersonate-user": "system:node:" }],
  ]),
  restricted("who is no node though called like one", [
    ["PATCH", `${NODES}/NS`, { metadata: { labels: { "k8s.io/a": "b" } } }, { ...MERGE, "impersonate-user": "system:node:NS" }],
  ]),
  restricted("a mirror pod", [uid, mirror()]),
  restricted("a pod that is no mirror", [["POST", PODS, pod("a", { nodeName: "NS" }), kubelet]]),
  restricted("a mirror pod of another node", [uid, mirror({ nodeName: "NS-other" })]),
  restricted("owners of a mirror pod", [
    uid,
    mirror({}, { name: "NS-other" }),
    mirror({}, { kind: "Pod" }),
    mirror({}, { controller: false }),
    mirror({}, { blockOwnerDeletion: true }),
    mirror({}, { uid: "another" }),
    mirror({}, {}, { ownerReferences: [] }),
    mirror(
      {},
      {},
      {
        ownerReferences: ["a", "b"].map((name) => ({ apiVersion: "v1", kind: "Node", name, uid: name })),
      },
    ),
  ]),
  restricted("what a mirror pod may not name", [
    uid,
    mirror({ serviceAccountName: "default" }),
    mirror(volume({ secret: { secretName: "s" } })),
    mirror(volume({ configMap: { name: "c" } })),
    mirror(volume({ persistentVolumeClaim: { claimName: "p" } })),
    mirror(volume({ projected: { sources: [{ secret: { name: "s" } }] } })),
    mirror(volume({ projected: { sources: [{ clusterTrustBundle: { name: "b", path: "p" } }] } })),
    mirror({ containers: [{ name: "main", image: "a", envFrom: [{ secretRef: { name: "s" } }] }] }),
    mirror({ containers: [{ name: "main", image: "a", envFrom: [{ configMapRef: { name: "c" } }] }] }),
    mirror({ containers: [{ name: "main", image: "a", env: [{ name: "X", valueFrom: { configMapKeyRef: { name: "c", key: "k" } } }] }] }),
    mirror({ imagePullSecrets: [{ name: "s" }] }),
    mirror({ resourceClaims: [{ name: "r", resourceClaimName: "r" }] }),
    mirror(volume({ csi: { driver: "d.example.com", nodePublishSecretRef: { name: "s" } } })),
    mirror(volume({ emptyDir: {} })),
  ]),
  restricted(
    "pods of a node and of others",
    [
      ["PATCH", `${PODS}/here/status`, { status: { phase: "Running" } }, patched],
      ["PATCH", `${PODS}/there/status`, { status: { phase: "Running" } }, patched],
      ["PATCH", `${PODS}/here/status`, { metadata: { labels: { a: "b" } } }, patched],
      ["PATCH", `${PODS}/here`, { metadata: { labels: { a: "b" } } }, patched],
      ["POST", `${PODS}/here/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "there" } }, kubelet],
      ["POST", `${PODS}/there/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "there" } }, kubelet],
      ["POST", `${PODS}/here/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "here" } }, kubelet],
      ["POST", `${PODS}/nobody/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "nobody" } }, kubelet],
      ["DELETE", `${PODS}/there`, undefined, kubelet],
      ["DELETE", `${PODS}/nobody`, undefined, kubelet],
      ["DELETE", `${PODS}/here?gracePeriodSeconds=0`, undefined, kubelet],
    ],
    running,
  ),
  restricted(
    "parts of pods that are none of a node's business",
    [
      ["PATCH", `${PODS}/here/ephemeralcontainers`, { spec: { ephemeralContainers: [{ name: "e", image: "i" }] } }, patched],
      ["POST", `${PODS}/here/binding`, { apiVersion: "v1", kind: "Binding", metadata: { name: "here" }, target: { name: "NS" } }, kubelet],
    ],
    running,
  ),
  restricted(
    "claims of volumes",
    [
      ["PATCH", `${CLAIMS}/p`, { metadata: { labels: { a: "b" } } }, patched],
      ["PATCH", `${CLAIMS}/p/status`, { status: { capacity: { storage: "2Gi" } } }, patched],
      ["DELETE", `${CLAIMS}/p`, undefined, kubelet],
    ],
    [
      [
        CLAIMS,
        {
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          metadata: { name: "p" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
    ],
  ),
  restricted(
    "tokens for pods",
    [
      ["GET", `${PODS}/here`],
      ["GET", `${PODS}/there`],
      ["POST", `${ACCOUNTS}/robot/token`, token(), kubelet],
      ([pod]) => ["POST", `${ACCOUNTS}/robot/token`, token(bound("here", pod?.body.metadata.uid)), kubelet],
      ([, pod]) => ["POST", `${ACCOUNTS}/robot/token`, token(bound("there", pod?.body.metadata.uid)), kubelet],
      ["POST", `${ACCOUNTS}/robot/token`, token(bound("here", "another")), kubelet],
      ["POST", `${ACCOUNTS}/robot/token`, token(bound("nobody", "another")), kubelet],
      ["POST", `${ACCOUNTS}/robot/token`, token(bound("here", "")), kubelet],
      ["POST", `${ACCOUNTS}/robot/token`, token({ kind: "Secret", apiVersion: "v1", name: "x", uid: "y" }), kubelet],
      ["PATCH", `${ACCOUNTS}/robot`, { metadata: { labels: { a: "b" } } }, patched],
    ],
    [[ACCOUNTS, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } }], ...running],
  ),
  restricted("leases", [
    ["POST", "/apis/coordination.k8s.io/v1/namespaces/NS/leases", lease("NS"), kubelet],
    ["POST", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases", lease("NS-other"), kubelet],
    ["POST", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases", lease("NS"), kubelet],
    ["PATCH", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/NS", { spec: { holderIdentity: "NS" } }, patched],
    ["DELETE", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/NS", undefined, kubelet],
  ]),
  restricted("CSI nodes", [
    ["POST", CSI, { apiVersion: "storage.k8s.io/v1", kind: "CSINode", metadata: { name: "NS-other" }, spec: { drivers: [] } }, kubelet],
    ["POST", CSI, { apiVersion: "storage.k8s.io/v1", kind: "CSINode", metadata: { name: "NS" }, spec: { drivers: [] } }, kubelet],
    ["PATCH", `${CSI}/NS`, { metadata: { labels: { a: "b" } } }, patched],
    ["DELETE", `${CSI}/NS`, undefined, kubelet],
  ]),
  restricted("resource slices", [
    ["POST", SLICES, slice("one", "NS-other"), kubelet],
    ["POST", SLICES, slice("two", "NS"), kubelet],
    ["POST", SLICES, slice("three", undefined), kubelet],
    ["DELETE", `${SLICES}/NS-two`, undefined, kubelet],
    ["POST", SLICES, slice("four", "NS-other")],
    ["DELETE", `${SLICES}/NS-four`, undefined, kubelet],
  ]),
  restricted("requests for certificates", [
    [
      "POST",
      REQUESTS,
      { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest", metadata: { name: "NS" }, spec: {} },
      kubelet,
    ],
  ]),
];

function token(boundObjectRef?: object) {
  return {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { audiences: ["https://kubernetes.default.svc"], ...(boundObjectRef && { boundObjectRef }) },
  };
}

function bound(name: string, uid: string | undefined) {
  return { apiVersion: "v1", kind: "Pod", name, uid };
}

function lease(name: string) {
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name }, spec: {} };
}

function slice(name: string, nodeName: string | undefined) {
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceSlice",
    metadata: { name: `NS-${name}` },
    spec: {
      driver: "d.example.com",
      pool: { name: "p", generation: 1, resourceSliceCount: 1 },
      ...(nodeName === undefined ? { allNodes: true } : { nodeName }),
    },
  };
}

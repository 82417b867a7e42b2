import { type Case, type CaseStep, MERGE, type ObjectAt, PODS, pod } from "../case.ts";

const NODES = "/api/v1/nodes";
const CLAIMS = "/api/v1/namespaces/NS/persistentvolumeclaims";
const ACCOUNTS = "/api/v1/namespaces/NS/serviceaccounts";
const CSI = "/apis/storage.k8s.io/v1/csinodes";
const SLICES = "/apis/resource.k8s.io/v1/resourceslices";
const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

/** Impersonates the kubelet of the node named like the namespace, which is bound to cluster-admin. */
const kubelet = { "impersonate-user": "system:node:NS", "impersonate-group": "system:nodes" };
const kubeletPatch = { ...MERGE, ...kubelet };
const kubeletBinding: ObjectAt = [
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
const nodes: readonly ObjectAt[] = [kubeletBinding, [NODES, node("NS")], [NODES, node("NS-other")]];
const patchLabels = (labels: object): CaseStep => ["PATCH", `${NODES}/NS`, { metadata: { labels } }, kubeletPatch];
const nodeCase = (title: string, steps: readonly CaseStep[], more: readonly ObjectAt[] = []): Case => ({
  title,
  objects: [...nodes, ...more],
  steps,
});

const uid: CaseStep = ["GET", `${NODES}/NS`];
/** Creates a mirror pod of the node with these changes; the first response is the node. */
const createMirrorPod =
  (spec: object = {}, owner: object = {}, metadata: object = {}): CaseStep =>
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
const podHere = pod("here", { nodeName: "NS" });
const podElsewhere = pod("there", { nodeName: "NS-other" });
const running: readonly ObjectAt[] = [
  [PODS, podHere],
  [PODS, podElsewhere],
];

export const kubelets: readonly Case[] = [
  nodeCase("a node creates itself", [
    ["DELETE", `${NODES}/NS`],
    ["POST", NODES, node("NS", {}, { labels: { "kubernetes.io/os": "linux", "example.com/a": "b" } }), kubelet],
    ["POST", NODES, node("NS-third"), kubelet],
  ]),
  nodeCase("a node creates itself with restricted labels", [
    ["DELETE", `${NODES}/NS`],
    ["POST", NODES, node("NS", {}, { labels: { "node-role.kubernetes.io/control-plane": "", "kubernetes.io/z": "" } }), kubelet],
    ["POST", NODES, node("NS", {}, { labels: { "node-restriction.kubernetes.io/a": "b" } }), kubelet],
    ["POST", NODES, node("NS", { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } }), kubelet],
  ]),
  nodeCase("labels that a node may set", [
    patchLabels({ "kubernetes.io/hostname": "x", "topology.kubernetes.io/zone": "z", "beta.kubernetes.io/arch": "amd64" }),
    patchLabels({ "node.kubernetes.io/anything": "x", "kubelet.kubernetes.io/anything": "x", "a.kubelet.kubernetes.io/b": "x" }),
    patchLabels({ "example.com/a": "b", plain: "" }),
    patchLabels({ "example.com/a": null }),
  ]),
  nodeCase("labels that a node may not set", [
    patchLabels({ "node-restriction.kubernetes.io/a": "b" }),
    patchLabels({ "sub.node-restriction.kubernetes.io/a": "b", "example.com/b": "c" }),
    patchLabels({ "node-role.kubernetes.io/worker": "", "kubernetes.io/b": "", "k8s.io/a": "" }),
    patchLabels({ "x.k8s.io/a": "" }),
  ]),
  nodeCase("labels that a node may not change", [
    ["PATCH", `${NODES}/NS`, { metadata: { labels: { "node-restriction.kubernetes.io/a": "b", "k8s.io/b": "c" } } }, MERGE],
    patchLabels({ "node-restriction.kubernetes.io/a": null }),
    patchLabels({ "k8s.io/b": "d" }),
    patchLabels({ "k8s.io/b": null }),
  ]),
  nodeCase("taints, owners and status of a node", [
    ["PATCH", `${NODES}/NS`, { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } }, kubeletPatch],
    ["PATCH", `${NODES}/NS`, { spec: { unschedulable: true } }, kubeletPatch],
    ["PATCH", `${NODES}/NS`, { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "x", uid: "y" }] } }, kubeletPatch],
    ["PATCH", `${NODES}/NS/status`, { status: { conditions: [{ type: "Ready", status: "True" }] } }, kubeletPatch],
    ["PATCH", `${NODES}/NS/status`, { metadata: { labels: { "k8s.io/a": "b" } } }, kubeletPatch],
    ["PATCH", `${NODES}/NS-other/status`, { status: { conditions: [{ type: "Ready", status: "True" }] } }, kubeletPatch],
    ["PATCH", `${NODES}/NS-other`, { metadata: { labels: { a: "b" } } }, kubeletPatch],
  ]),
  nodeCase("a node deletes nodes", [
    ["DELETE", `${NODES}/NS-other`, undefined, kubelet],
    ["DELETE", `${NODES}/NS`, undefined, kubelet],
  ]),
  nodeCase("a node without a name", [
    ["PATCH", `${NODES}/NS`, { metadata: { labels: { a: "b" } } }, { ...kubeletPatch, "impersonate-user": "system:node:" }],
  ]),
  // With a group: without one the mode of impersonation, which may add system:nodes, depends on the last request of the requester.
  nodeCase("a user named like a node outside the group system:nodes", [
    ["PATCH", `${NODES}/NS`, { metadata: { labels: { "k8s.io/a": "b" } } }, { ...kubeletPatch, "impersonate-group": "testers" }],
  ]),
  nodeCase("a mirror pod", [uid, createMirrorPod()]),
  nodeCase("a pod that is not a mirror pod", [["POST", PODS, pod("a", { nodeName: "NS" }), kubelet]]),
  nodeCase("a mirror pod of another node", [uid, createMirrorPod({ nodeName: "NS-other" })]),
  nodeCase("owners of a mirror pod", [
    uid,
    createMirrorPod({}, { name: "NS-other" }),
    createMirrorPod({}, { kind: "Pod" }),
    createMirrorPod({}, { controller: false }),
    createMirrorPod({}, { blockOwnerDeletion: true }),
    createMirrorPod({}, { uid: "another" }),
    createMirrorPod({}, {}, { ownerReferences: [] }),
    createMirrorPod(
      {},
      {},
      {
        ownerReferences: ["a", "b"].map((name) => ({ apiVersion: "v1", kind: "Node", name, uid: name })),
      },
    ),
  ]),
  nodeCase("references that a mirror pod must not have", [
    uid,
    createMirrorPod({ serviceAccountName: "default" }),
    createMirrorPod(volume({ secret: { secretName: "s" } })),
    createMirrorPod(volume({ configMap: { name: "c" } })),
    createMirrorPod(volume({ persistentVolumeClaim: { claimName: "p" } })),
    createMirrorPod(volume({ projected: { sources: [{ secret: { name: "s" } }] } })),
    createMirrorPod(volume({ projected: { sources: [{ clusterTrustBundle: { name: "b", path: "p" } }] } })),
    createMirrorPod({ containers: [{ name: "main", image: "a", envFrom: [{ secretRef: { name: "s" } }] }] }),
    createMirrorPod({ containers: [{ name: "main", image: "a", envFrom: [{ configMapRef: { name: "c" } }] }] }),
    createMirrorPod({
      containers: [{ name: "main", image: "a", env: [{ name: "X", valueFrom: { configMapKeyRef: { name: "c", key: "k" } } }] }],
    }),
    createMirrorPod({ imagePullSecrets: [{ name: "s" }] }),
    createMirrorPod({ resourceClaims: [{ name: "r", resourceClaimName: "r" }] }),
    createMirrorPod(volume({ csi: { driver: "d.example.com", nodePublishSecretRef: { name: "s" } } })),
    createMirrorPod(volume({ emptyDir: {} })),
  ]),
  nodeCase(
    "pods of a node and of others",
    [
      ["PATCH", `${PODS}/here/status`, { status: { phase: "Running" } }, kubeletPatch],
      ["PATCH", `${PODS}/there/status`, { status: { phase: "Running" } }, kubeletPatch],
      ["PATCH", `${PODS}/here/status`, { metadata: { labels: { a: "b" } } }, kubeletPatch],
      ["PATCH", `${PODS}/here`, { metadata: { labels: { a: "b" } } }, kubeletPatch],
      ["POST", `${PODS}/here/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "there" } }, kubelet],
      ["POST", `${PODS}/there/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "there" } }, kubelet],
      ["POST", `${PODS}/here/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "here" } }, kubelet],
      ["POST", `${PODS}/missing/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "missing" } }, kubelet],
      ["DELETE", `${PODS}/there`, undefined, kubelet],
      ["DELETE", `${PODS}/missing`, undefined, kubelet],
      ["DELETE", `${PODS}/here?gracePeriodSeconds=0`, undefined, kubelet],
    ],
    running,
  ),
  nodeCase(
    "pod subresources that a node must not write",
    [
      ["PATCH", `${PODS}/here/ephemeralcontainers`, { spec: { ephemeralContainers: [{ name: "e", image: "i" }] } }, kubeletPatch],
      ["POST", `${PODS}/here/binding`, { apiVersion: "v1", kind: "Binding", metadata: { name: "here" }, target: { name: "NS" } }, kubelet],
    ],
    running,
  ),
  nodeCase(
    "claims of volumes",
    [
      ["PATCH", `${CLAIMS}/p`, { metadata: { labels: { a: "b" } } }, kubeletPatch],
      ["PATCH", `${CLAIMS}/p/status`, { status: { capacity: { storage: "2Gi" } } }, kubeletPatch],
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
  nodeCase(
    "tokens for pods",
    [
      ["GET", `${PODS}/here`],
      ["GET", `${PODS}/there`],
      ["POST", `${ACCOUNTS}/robot/token`, token(), kubelet],
      ([pod]) => ["POST", `${ACCOUNTS}/robot/token`, token(boundObject("here", pod?.body.metadata.uid)), kubelet],
      ([, pod]) => ["POST", `${ACCOUNTS}/robot/token`, token(boundObject("there", pod?.body.metadata.uid)), kubelet],
      ["POST", `${ACCOUNTS}/robot/token`, token(boundObject("here", "another")), kubelet],
      ["POST", `${ACCOUNTS}/robot/token`, token(boundObject("missing", "another")), kubelet],
      ["POST", `${ACCOUNTS}/robot/token`, token(boundObject("here", "")), kubelet],
      ["POST", `${ACCOUNTS}/robot/token`, token({ kind: "Secret", apiVersion: "v1", name: "x", uid: "y" }), kubelet],
      ["PATCH", `${ACCOUNTS}/robot`, { metadata: { labels: { a: "b" } } }, kubeletPatch],
    ],
    [[ACCOUNTS, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } }], ...running],
  ),
  nodeCase("leases", [
    ["POST", "/apis/coordination.k8s.io/v1/namespaces/NS/leases", lease("NS"), kubelet],
    ["POST", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases", lease("NS-other"), kubelet],
    ["POST", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases", lease("NS"), kubelet],
    ["PATCH", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/NS", { spec: { holderIdentity: "NS" } }, kubeletPatch],
    ["DELETE", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/NS", undefined, kubelet],
  ]),
  nodeCase("CSI nodes", [
    ["POST", CSI, { apiVersion: "storage.k8s.io/v1", kind: "CSINode", metadata: { name: "NS-other" }, spec: { drivers: [] } }, kubelet],
    ["POST", CSI, { apiVersion: "storage.k8s.io/v1", kind: "CSINode", metadata: { name: "NS" }, spec: { drivers: [] } }, kubelet],
    ["PATCH", `${CSI}/NS`, { metadata: { labels: { a: "b" } } }, kubeletPatch],
    ["DELETE", `${CSI}/NS`, undefined, kubelet],
  ]),
  nodeCase("resource slices", [
    ["POST", SLICES, slice("one", "NS-other"), kubelet],
    ["POST", SLICES, slice("two", "NS"), kubelet],
    ["POST", SLICES, slice("three", undefined), kubelet],
    ["DELETE", `${SLICES}/NS-two`, undefined, kubelet],
    ["POST", SLICES, slice("four", "NS-other")],
    ["DELETE", `${SLICES}/NS-four`, undefined, kubelet],
  ]),
  nodeCase("requests for certificates", [
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

function boundObject(name: string, uid: string | undefined) {
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

import { type Case, type CaseStep, CM, configMap, DEPLOYMENTS, deployment, MERGE, type ObjectAt, PODS, pod } from "../case.ts";

const enforceLevel = (of: string, more: object = {}) => ({ [`pod-security.kubernetes.io/enforce`]: of, ...more }) as Record<string, string>;
const container = (more: object) => ({ containers: [{ name: "main", image: "app", ...more }] });
const secure = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" },
};
/** Creates pods in a namespace with these labels. */
const podCase = (title: string, labels: Record<string, string>, ...specs: readonly object[]): Case => ({
  title,
  labels,
  steps: specs.map((spec, i): CaseStep => ["POST", PODS, pod(`p${i}`, spec)]),
});
const baseline = (title: string, ...specs: readonly object[]) => podCase(title, enforceLevel("baseline"), ...specs);
const restrictedCase = (title: string, ...specs: readonly object[]) => podCase(title, enforceLevel("restricted"), ...specs);

const asJane = { "impersonate-user": "jane" };
const roleFor = (rules: readonly object[]): readonly ObjectAt[] => [
  [
    "/apis/rbac.authorization.k8s.io/v1/namespaces/NS/roles",
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "jane" }, rules },
  ],
  [
    "/apis/rbac.authorization.k8s.io/v1/namespaces/NS/rolebindings",
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "jane" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "jane" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }],
    },
  ],
];
const writeRule = { apiGroups: [""], resources: ["configmaps"], verbs: ["create", "get", "update", "patch"] };
const owner = (more: object = {}) => ({ ownerReferences: [{ apiVersion: "v1", kind: "Secret", name: "o", uid: "u", ...more }] });
const createOwned = (metadata: object): CaseStep => ["POST", CM, configMap("a", { metadata }), asJane];

export const plugins: readonly Case[] = [
  baseline("baseline: an ordinary pod", {}),
  baseline("baseline: privileged", container({ securityContext: { privileged: true } })),
  baseline("baseline: the host's namespaces", { hostNetwork: true, hostPID: true, hostIPC: true }),
  baseline("baseline: the host's paths", {
    volumes: [
      { name: "a", hostPath: { path: "/" } },
      { name: "b", hostPath: { path: "/" } },
    ],
  }),
  baseline(
    "baseline: the host's ports",
    container({
      ports: [
        { containerPort: 80, hostPort: 8080 },
        { containerPort: 81, hostPort: 8081 },
      ],
    }),
  ),
  baseline("baseline: capabilities", container({ securityContext: { capabilities: { add: ["NET_ADMIN", "CHOWN", "SYS_TIME"] } } })),
  baseline("baseline: sysctls", {
    securityContext: {
      sysctls: [
        { name: "kernel.msgmax", value: "1" },
        { name: "net.ipv4.tcp_rmem", value: "1" },
      ],
    },
  }),
  baseline("baseline: SELinux", { securityContext: { seLinuxOptions: { type: "spc_t", user: "u" } } }),
  baseline("baseline: seccomp", {
    securityContext: { seccompProfile: { type: "Unconfined" } },
    ...container({ securityContext: { seccompProfile: { type: "Unconfined" } } }),
  }),
  baseline("baseline: AppArmor", container({ securityContext: { appArmorProfile: { type: "Unconfined" } } })),
  baseline("baseline: probes of other hosts", container({ livenessProbe: { httpGet: { port: 80, host: "example.com" } } })),
  restrictedCase("restricted: an ordinary pod", {}),
  restrictedCase("restricted: a pod that complies", container({ securityContext: secure })),
  restrictedCase("restricted: a pod that complies as a whole", {
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    ...container({ securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } } }),
  }),
  restrictedCase("restricted: root", {
    securityContext: { runAsUser: 0, runAsNonRoot: false },
    ...container({ securityContext: { ...secure, runAsUser: 0 } }),
  }),
  restrictedCase("restricted: volumes", {
    volumes: [
      { name: "a", nfs: { server: "x", path: "/" } },
      { name: "b", emptyDir: {} },
    ],
    ...container({ securityContext: secure }),
  }),
  restrictedCase(
    "restricted: capabilities added again",
    container({ securityContext: { ...secure, capabilities: { drop: ["ALL"], add: ["CHOWN"] } } }),
  ),
  restrictedCase("restricted: several containers", {
    initContainers: [{ name: "init", image: "a" }],
    containers: [
      { name: "one", image: "a" },
      { name: "two", image: "b", securityContext: secure },
    ],
  }),
  podCase("privileged: anything", enforceLevel("privileged"), container({ securityContext: { privileged: true } })),
  podCase("an older version of a level", enforceLevel("restricted", { "pod-security.kubernetes.io/enforce-version": "v1.18" }), {}),
  podCase("warnings", { "pod-security.kubernetes.io/warn": "restricted" }, {}),
  podCase("warnings beyond what is enforced", enforceLevel("baseline", { "pod-security.kubernetes.io/warn": "restricted" }), {}),
  {
    title: "a Deployment returns warnings for its pods",
    labels: enforceLevel("restricted"),
    steps: [["POST", DEPLOYMENTS, deployment("a")]],
  },
  {
    title: "a Job returns warnings for its pods",
    labels: enforceLevel("baseline"),
    steps: [
      [
        "POST",
        "/apis/batch/v1/namespaces/NS/jobs",
        {
          apiVersion: "batch/v1",
          kind: "Job",
          metadata: { name: "a" },
          spec: { template: { spec: { restartPolicy: "Never", hostNetwork: true, containers: [{ name: "main", image: "app" }] } } },
        },
      ],
    ],
  },
  {
    title: "an unknown level",
    steps: [
      [
        "PATCH",
        "/api/v1/namespaces/NS",
        { metadata: { labels: { "pod-security.kubernetes.io/enforce": "strict", "pod-security.kubernetes.io/warn-version": "1.2" } } },
        MERGE,
      ],
    ],
  },
  {
    title: "a level that existing pods violate",
    steps: [
      ["POST", PODS, pod("a")],
      ["POST", PODS, pod("b")],
      ["POST", PODS, pod("c", { hostNetwork: true })],
      ["PATCH", "/api/v1/namespaces/NS", { metadata: { labels: { "pod-security.kubernetes.io/enforce": "restricted" } } }, MERGE],
      ["PATCH", `${PODS}/a`, { metadata: { labels: { x: "y" } } }, MERGE],
      [
        "PATCH",
        `${PODS}/a`,
        { spec: { containers: [{ name: "main", image: "other" }] } },
        { "content-type": "application/strategic-merge-patch+json" },
      ],
    ],
  },
  { title: "owners without blockOwnerDeletion", objects: roleFor([writeRule]), steps: [createOwned(owner())] },
  {
    title: "owners with blockOwnerDeletion, without the right",
    objects: roleFor([writeRule]),
    steps: [createOwned(owner({ blockOwnerDeletion: true }))],
  },
  {
    title: "owners with blockOwnerDeletion, with the right",
    objects: roleFor([writeRule, { apiGroups: [""], resources: ["secrets/finalizers"], verbs: ["update"] }]),
    steps: [createOwned(owner({ blockOwnerDeletion: true }))],
  },
  {
    title: "owners of an unknown kind",
    objects: roleFor([writeRule]),
    steps: [createOwned(owner({ apiVersion: "nothing.example.com/v1", kind: "Nothing", blockOwnerDeletion: true }))],
  },
  {
    title: "owners set by a user without the right to delete",
    objects: roleFor([writeRule]),
    steps: [
      ["POST", CM, configMap("a"), asJane],
      ["PATCH", `${CM}/a`, { metadata: owner() }, { ...MERGE, ...asJane }],
      ["PATCH", `${CM}/a`, { data: { x: "y" } }, { ...MERGE, ...asJane }],
    ],
  },
  {
    title: "owners set by a user with the right to delete",
    objects: roleFor([{ ...writeRule, verbs: [...writeRule.verbs, "delete"] }]),
    steps: [
      ["POST", CM, configMap("a"), asJane],
      ["PATCH", `${CM}/a`, { metadata: owner() }, { ...MERGE, ...asJane }],
    ],
  },
  {
    title: "external IPs",
    steps: [
      [
        "POST",
        "/api/v1/namespaces/NS/services",
        {
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: "a" },
          spec: { clusterIP: "None", externalIPs: ["192.0.2.9"], ports: [{ port: 80 }] },
        },
      ],
    ],
  },
];

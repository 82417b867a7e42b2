import { type Case, type CaseStep, MERGE, PODS, pod } from "../case.ts";

const SELECTOR = "scheduler.alpha.kubernetes.io/node-selector";
const DEFAULTS = "scheduler.alpha.kubernetes.io/defaultTolerations";
const ALLOWED = "scheduler.alpha.kubernetes.io/tolerationsWhitelist";

/** Creates pods in a namespace with these annotations. */
const podCase = (title: string, annotations: Readonly<Record<string, string>>, ...specs: readonly object[]): Case => ({
  title,
  annotations,
  steps: specs.map((spec, i): CaseStep => ["POST", PODS, pod(`p${i}`, spec)]),
});
const tolerations = (...all: readonly object[]) => ({ tolerations: all });
const json = (...all: readonly object[]) => JSON.stringify(all);
const special = { key: "special", operator: "Equal", value: "yes", effect: "NoSchedule" };
const extendedResources = (...names: readonly string[]) => ({
  resources: { limits: Object.fromEntries(names.map((name) => [name, "1"])) },
});
const antiAffinity = (topologyKey: string) => ({
  affinity: {
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: { a: "b" } }, topologyKey }] },
  },
});

const labelledNode = {
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name: "NS",
    labels: {
      "topology.kubernetes.io/zone": "z",
      "topology.kubernetes.io/region": "r",
      "topology.kubernetes.io/rack": "k",
      "kubernetes.io/hostname": "h",
    },
  },
};
const binding = (name: string, metadata: object) => ({
  apiVersion: "v1",
  kind: "Binding",
  metadata: { name, ...metadata },
  target: { kind: "Node", name: "NS" },
});
const bindPod = (name: string, metadata: object = {}): CaseStep => ["POST", `${PODS}/${name}/binding`, binding(name, metadata)];

export const placement: readonly Case[] = [
  podCase(
    "a namespace with a node selector",
    { [SELECTOR]: "disk=ssd, zone = a" },
    {},
    { nodeSelector: { color: "red" } },
    { nodeSelector: { disk: "ssd" } },
  ),
  podCase("a pod with a conflicting node selector", { [SELECTOR]: "disk=ssd" }, { nodeSelector: { disk: "tape" } }),
  podCase("a namespace with an empty node selector", { [SELECTOR]: "" }, {}, { nodeSelector: { color: "red" } }),
  podCase("a namespace with an invalid node selector", { [SELECTOR]: "disk in (ssd)" }, {}),
  podCase("a namespace with invalid labels in its node selector", { [SELECTOR]: "-bad-=x" }, {}),
  {
    title: "an update does not change the node selector",
    annotations: { [SELECTOR]: "disk=ssd" },
    steps: [
      ["POST", PODS, pod("a")],
      ["PATCH", "/api/v1/namespaces/NS", { metadata: { annotations: { [SELECTOR]: "disk=tape" } } }, MERGE],
      ["PATCH", `${PODS}/a`, { metadata: { labels: { a: "b" } } }, MERGE],
    ],
  },
  podCase(
    "a namespace with default tolerations",
    { [DEFAULTS]: json(special) },
    {},
    tolerations({ key: "other", operator: "Exists" }),
    tolerations(special),
  ),
  podCase(
    "a pod whose tolerations conflict with its namespace",
    { [DEFAULTS]: json(special) },
    tolerations({ ...special, value: "no" }),
    tolerations({ ...special, effect: "NoExecute", tolerationSeconds: 5 }),
    tolerations({ key: "special", operator: "Exists" }),
    tolerations({ operator: "Exists" }),
  ),
  podCase(
    "only some tolerations are allowed",
    { [ALLOWED]: json(special, { key: "other", operator: "Exists" }) },
    {},
    tolerations(special),
    tolerations({ key: "other", operator: "Equal", value: "x", effect: "NoSchedule" }),
  ),
  podCase(
    "all tolerations that pods have are allowed",
    { [ALLOWED]: json({ operator: "Exists", effect: "NoExecute" }, special) },
    {},
    tolerations(special),
    tolerations({ ...special, value: "no" }),
    tolerations({ key: "late", operator: "Exists", effect: "NoExecute", tolerationSeconds: 10 }),
  ),
  podCase("tolerations that cannot be read", { [DEFAULTS]: "{" }, {}),
  podCase("allowed tolerations that cannot be read", { [ALLOWED]: "{" }, {}),
  podCase(
    "a pod that requests memory tolerates memory pressure",
    {},
    {
      containers: [{ name: "main", image: "app", resources: { requests: { memory: "1Mi" } } }],
    },
  ),
  {
    title: "tolerations of a pod that changes",
    annotations: { [ALLOWED]: json({ operator: "Exists", effect: "NoExecute" }) },
    steps: [
      ["POST", PODS, pod("a")],
      ["PATCH", `${PODS}/a`, { metadata: { labels: { a: "b" } } }, MERGE],
    ],
  },
  podCase(
    "extended resources",
    {},
    { containers: [{ name: "main", image: "app", ...extendedResources("example.com/b", "example.com/a", "cpu") }] },
    {
      initContainers: [{ name: "init", image: "app", ...extendedResources("example.com/c") }],
      ...tolerations({ key: "example.com/c", operator: "Equal", value: "x" }),
    },
    {
      containers: [{ name: "main", image: "app", ...extendedResources("example.com/a") }],
      ...tolerations({ key: "example.com/a", operator: "Exists" }),
    },
    { containers: [{ name: "main", image: "app", ...extendedResources("hugepages-2Mi", "memory") }] },
  ),
  podCase("required pod anti-affinity", {}, antiAffinity("kubernetes.io/hostname"), antiAffinity("topology.kubernetes.io/zone")),
  {
    title: "pods get the topology labels of their node",
    objects: [["/api/v1/nodes", labelledNode]],
    steps: [
      ["POST", PODS, pod("a")],
      bindPod("a"),
      ["GET", `${PODS}/a`],
      ["POST", PODS, pod("b", {}, { labels: { "topology.kubernetes.io/zone": "own", mine: "b" } })],
      bindPod("b", { labels: { mine: "yes" } }),
      ["GET", `${PODS}/b`],
      ["POST", PODS, pod("c", { nodeName: "NS" })],
      ["POST", PODS, pod("d", { nodeName: "NS" }, { labels: { "topology.kubernetes.io/zone": "own" } })],
      ["POST", PODS, pod("e", { nodeName: "nowhere" })],
      ["PATCH", `${PODS}/c`, { metadata: { labels: { "topology.kubernetes.io/zone": "other" } } }, MERGE],
    ],
  },
  {
    title: "the bindings resource does not set topology labels",
    objects: [["/api/v1/nodes", labelledNode]],
    steps: [
      ["POST", PODS, pod("a")],
      ["POST", "/api/v1/namespaces/NS/bindings", binding("a", {})],
      ["GET", `${PODS}/a`],
    ],
  },
];

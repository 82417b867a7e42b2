import { type Case, MERGE, PODS, pod, type Step } from "../case.ts";

const SELECTOR = "scheduler.alpha.kubernetes.io/node-selector";
const DEFAULTS = "scheduler.alpha.kubernetes.io/defaultTolerations";
const ALLOWED = "scheduler.alpha.kubernetes.io/tolerationsWhitelist";

/** Tries pods in a namespace with annotations. */
const tried = (title: string, annotations: Readonly<Record<string, string>>, ...specs: readonly object[]): Case => ({
  title,
  annotations,
  steps: specs.map((spec, i): Step => ["POST", PODS, pod(`p${i}`, spec)]),
});
const tolerations = (...all: readonly object[]) => ({ tolerations: all });
const json = (...all: readonly object[]) => JSON.stringify(all);
const special = { key: "special", operator: "Equal", value: "yes", effect: "NoSchedule" };
const requested = (...names: readonly string[]) => ({ resources: { limits: Object.fromEntries(names.map((name) => [name, "1"])) } });
const apart = (topologyKey: string) => ({
  affinity: {
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: { a: "b" } }, topologyKey }] },
  },
});

const located = {
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
const bound = (name: string, metadata: object = {}): Step => ["POST", `${PODS}/${name}/binding`, binding(name, metadata)];

export const placement: readonly Case[] = [
  tried(
    "a namespace that names its nodes",
    { [SELECTOR]: "disk=ssd, zone = a" },
    {},
    { nodeSelector: { color: "red" } },
    { nodeSelector: { disk: "ssd" } },
  ),
  tried("a pod that names others", { [SELECTOR]: "disk=ssd" }, { nodeSelector: { disk: "tape" } }),
  tried("a namespace that names no nodes", { [SELECTOR]: "" }, {}, { nodeSelector: { color: "red" } }),
  tried("a namespace whose nodes cannot be read", { [SELECTOR]: "disk in (ssd)" }, {}),
  tried("a namespace whose nodes have wrong labels", { [SELECTOR]: "-bad-=x" }, {}),
  {
    title: "a pod is not moved when it changes",
    annotations: { [SELECTOR]: "disk=ssd" },
    steps: [
      ["POST", PODS, pod("a")],
      ["PATCH", "/api/v1/namespaces/NS", { metadata: { annotations: { [SELECTOR]: "disk=tape" } } }, MERGE],
      ["PATCH", `${PODS}/a`, { metadata: { labels: { a: "b" } } }, MERGE],
    ],
  },
  tried(
    "a namespace that tolerates",
    { [DEFAULTS]: json(special) },
    {},
    tolerations({ key: "other", operator: "Exists" }),
    tolerations(special),
  ),
  tried(
    "a pod that tolerates in another way than its namespace",
    { [DEFAULTS]: json(special) },
    tolerations({ ...special, value: "no" }),
    tolerations({ ...special, effect: "NoExecute", tolerationSeconds: 5 }),
    tolerations({ key: "special", operator: "Exists" }),
    tolerations({ operator: "Exists" }),
  ),
  tried(
    "only some tolerations are allowed",
    { [ALLOWED]: json(special, { key: "other", operator: "Exists" }) },
    {},
    tolerations(special),
    tolerations({ key: "other", operator: "Equal", value: "x", effect: "NoSchedule" }),
  ),
  tried(
    "all tolerations that pods have are allowed",
    { [ALLOWED]: json({ operator: "Exists", effect: "NoExecute" }, special) },
    {},
    tolerations(special),
    tolerations({ ...special, value: "no" }),
    tolerations({ key: "late", operator: "Exists", effect: "NoExecute", tolerationSeconds: 10 }),
  ),
  tried("tolerations that cannot be read", { [DEFAULTS]: "{" }, {}),
  tried("allowed tolerations that cannot be read", { [ALLOWED]: "{" }, {}),
  tried(
    "a pod that asks for memory tolerates its pressure",
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
  tried(
    "extended resources",
    {},
    { containers: [{ name: "main", image: "app", ...requested("example.com/b", "example.com/a", "cpu") }] },
    {
      initContainers: [{ name: "init", image: "app", ...requested("example.com/c") }],
      ...tolerations({ key: "example.com/c", operator: "Equal", value: "x" }),
    },
    {
      containers: [{ name: "main", image: "app", ...requested("example.com/a") }],
      ...tolerations({ key: "example.com/a", operator: "Exists" }),
    },
    { containers: [{ name: "main", image: "app", ...requested("hugepages-2Mi", "memory") }] },
  ),
  tried("pods that must be apart", {}, apart("kubernetes.io/hostname"), apart("topology.kubernetes.io/zone")),
  {
    title: "pods are told where their node is",
    objects: [["/api/v1/nodes", located]],
    steps: [
      ["POST", PODS, pod("a")],
      bound("a"),
      ["GET", `${PODS}/a`],
      ["POST", PODS, pod("b", {}, { labels: { "topology.kubernetes.io/zone": "own", mine: "b" } })],
      bound("b", { labels: { mine: "yes" } }),
      ["GET", `${PODS}/b`],
      ["POST", PODS, pod("c", { nodeName: "NS" })],
      ["POST", PODS, pod("d", { nodeName: "NS" }, { labels: { "topology.kubernetes.io/zone": "own" } })],
      ["POST", PODS, pod("e", { nodeName: "nowhere" })],
      ["PATCH", `${PODS}/c`, { metadata: { labels: { "topology.kubernetes.io/zone": "other" } } }, MERGE],
    ],
  },
  {
    title: "nobody is told by the old way of binding",
    objects: [["/api/v1/nodes", located]],
    steps: [
      ["POST", PODS, pod("a")],
      ["POST", "/api/v1/namespaces/NS/bindings", binding("a", {})],
      ["GET", `${PODS}/a`],
    ],
  },
];

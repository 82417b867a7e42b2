import {
  allow,
  type Case,
  CM,
  configMap,
  create,
  DEPLOYMENTS,
  deny,
  deployment,
  MERGE,
  mutating,
  onConfigMaps,
  rule,
  validating,
} from "../case.ts";

const denial = deny({ message: "matched" });
const withRules = (...rules: readonly object[]) => ({ rules });
const update = ["PATCH", `${CM}/a`, { data: { a: "b" } }, MERGE] as const;
const createLabelled = (labels: object, name = "a") => create(name, { metadata: { labels } });
const crd = (plural: string, kind: string) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.NS.example.com` },
  spec: {
    group: "NS.example.com",
    scope: "Namespaced",
    names: { plural, kind, singular: kind.toLowerCase() },
    versions: ["v1", "v2"].map((name) => ({
      name,
      served: true,
      storage: name === "v1",
      schema: {
        openAPIV3Schema: { type: "object", properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } },
      },
    })),
  },
});
const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const gadget = (version: string, name: string) => ({
  apiVersion: `NS.example.com/${version}`,
  kind: "Gadget",
  metadata: { name },
  spec: { a: 1 },
});
const gadgets = (version: string) => `/apis/NS.example.com/${version}/namespaces/NS/gadgets`;
/** Cluster-scoped objects belong to all cases. */
const NAMESPACED = "Namespaced";

export const rules: readonly Case[] = [
  { title: "a rule does not match another operation", hooks: [validating(denial, onConfigMaps("UPDATE"))], steps: [create(), update] },
  { title: "all operations", hooks: [validating(denial, onConfigMaps("*"))], steps: [create()] },
  { title: "several operations", hooks: [validating(denial, onConfigMaps("DELETE", "CREATE"))], steps: [create()] },
  { title: "all groups", hooks: [validating(denial, withRules(rule(["CREATE"], ["configmaps"], ["*"])))], steps: [create()] },
  { title: "another group", hooks: [validating(denial, withRules(rule(["CREATE"], ["configmaps"], ["apps"])))], steps: [create()] },
  { title: "all versions", hooks: [validating(denial, withRules(rule(["CREATE"], ["configmaps"], [""], ["*"])))], steps: [create()] },
  { title: "another version", hooks: [validating(denial, withRules(rule(["CREATE"], ["configmaps"], [""], ["v2"])))], steps: [create()] },
  { title: "all resources", hooks: [validating(denial, withRules(rule(["CREATE"], ["*"], [""], ["v1"], NAMESPACED)))], steps: [create()] },
  {
    title: "all resources and subresources",
    hooks: [validating(denial, withRules(rule(["CREATE"], ["*/*"], [""], ["v1"], NAMESPACED)))],
    steps: [create()],
  },
  {
    title: "a rule for all subresources includes the resource",
    hooks: [validating(denial, withRules(rule(["CREATE"], ["configmaps/*"])))],
    steps: [create()],
  },
  {
    title: "a rule for one subresource does not match the resource",
    hooks: [validating(denial, withRules(rule(["CREATE"], ["configmaps/status"])))],
    steps: [create()],
  },
  {
    title: "the second rule",
    hooks: [validating(denial, withRules(rule(["CREATE"], ["pods"]), rule(["CREATE"], ["configmaps"])))],
    steps: [create()],
  },
  { title: "a webhook without rules is not called", hooks: [validating(denial, withRules())], steps: [create()] },
  {
    title: "namespaced ones",
    hooks: [validating(denial, withRules(rule(["CREATE"], ["configmaps"], [""], ["v1"], "Namespaced")))],
    steps: [create()],
  },
  {
    title: "cluster-scoped ones",
    hooks: [validating(denial, withRules(rule(["CREATE"], ["configmaps"], [""], ["v1"], "Cluster")))],
    steps: [create()],
  },
  {
    title: "namespaces are cluster-scoped to rules",
    hooks: [
      validating(denial, {
        ...withRules(rule(["CREATE"], ["namespaces"], [""], ["v1"], "Cluster")),
        namespaceSelector: {},
        objectSelector: { matchLabels: { of: "ns1" } },
      }),
    ],
    steps: [
      ["POST", "/api/v1/namespaces?dryRun=All", { apiVersion: "v1", kind: "Namespace", metadata: { name: "NS-x", labels: { of: "ns1" } } }],
    ],
  },
  {
    title: "the selector of objects chooses",
    hooks: [validating(denial, { ...onConfigMaps(), objectSelector: { matchLabels: { a: "b" } } })],
    steps: [create(), createLabelled({ a: "c" }, "b"), createLabelled({ a: "b" }, "c")],
  },
  {
    title: "expressions in selectors",
    hooks: [
      validating(denial, {
        ...onConfigMaps(),
        objectSelector: {
          matchExpressions: [
            { key: "a", operator: "In", values: ["b", "c"] },
            { key: "d", operator: "DoesNotExist" },
            { key: "e", operator: "NotIn", values: ["f"] },
            { key: "g", operator: "Exists" },
          ],
        },
      }),
    ],
    steps: [
      createLabelled({ a: "b", g: "" }, "a"),
      createLabelled({ a: "b" }, "b"),
      createLabelled({ a: "x", g: "" }, "c"),
      createLabelled({ a: "c", g: "", e: "f" }, "d"),
    ],
  },
  {
    title: "the old labels choose too",
    hooks: [validating(denial, { ...onConfigMaps("UPDATE"), objectSelector: { matchLabels: { a: "b" } } })],
    steps: [createLabelled({ a: "b" }), ["PATCH", `${CM}/a`, { metadata: { labels: null } }, MERGE]],
  },
  {
    title: "the selector of namespaces chooses",
    labels: { tier: "gold" },
    hooks: [
      validating(denial, { ...onConfigMaps(), namespaceSelector: { matchLabels: { tier: "gold", "kubernetes.io/metadata.name": "NS" } } }),
    ],
    steps: [create()],
  },
  {
    title: "a namespace that is not chosen",
    labels: { tier: "gold" },
    hooks: [
      validating(denial, {
        ...onConfigMaps(),
        namespaceSelector: {
          matchLabels: { "kubernetes.io/metadata.name": "NS" },
          matchExpressions: [{ key: "tier", operator: "NotIn", values: ["gold"] }],
        },
      }),
    ],
    steps: [create()],
  },
  {
    title: "a namespace selector of another namespace",
    hooks: [validating(denial, { ...onConfigMaps(), namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "elsewhere" } } })],
    steps: [create()],
  },
  {
    title: "webhook configurations are not sent to webhooks",
    hooks: [
      validating(denial, {
        ...withRules(rule(["*"], ["*/*"], ["*"], ["*"])),
        namespaceSelector: {},
        objectSelector: { matchLabels: { of: "ns2" } },
      }),
    ],
    steps: [
      [
        "POST",
        "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All",
        {
          apiVersion: "admissionregistration.k8s.io/v1",
          kind: "ValidatingWebhookConfiguration",
          metadata: { name: "NS", labels: { of: "ns2" } },
        },
      ],
      [
        "POST",
        "/api/v1/persistentvolumes?dryRun=All",
        { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "NS", labels: { of: "ns2" } }, spec: {} },
      ],
      [
        "POST",
        "/apis/storage.k8s.io/v1/storageclasses?dryRun=All",
        { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name: "NS", labels: { of: "ns2" } }, provisioner: "x" },
      ],
    ],
  },
  {
    title: "the exact version only",
    hooks: [validating(denial, { ...withRules(rule(["CREATE"], ["gadgets"], ["NS.example.com"], ["v1"])), matchPolicy: "Exact" })],
    objects: [[CRDS, crd("gadgets", "Gadget")]],
    steps: [
      ["POST", gadgets("v2"), gadget("v2", "a")],
      ["POST", gadgets("v1"), gadget("v1", "b")],
    ],
  },
  {
    title: "an equivalent version is converted",
    hooks: [
      mutating(allow(), { ...withRules(rule(["CREATE", "UPDATE"], ["gadgets"], ["NS.example.com"], ["v1"])), matchPolicy: "Equivalent" }),
    ],
    objects: [[CRDS, crd("gadgets", "Gadget")]],
    steps: [
      ["POST", gadgets("v2"), gadget("v2", "a")],
      ["PATCH", `${gadgets("v2")}/a`, { spec: { a: 2 } }, MERGE],
    ],
    reviews: true,
  },
  {
    title: "an equivalent version of a built-in kind",
    hooks: [validating(allow(), { ...withRules(rule(["CREATE"], ["horizontalpodautoscalers"], ["autoscaling"], ["v2"])) })],
    steps: [
      [
        "POST",
        "/apis/autoscaling/v1/namespaces/NS/horizontalpodautoscalers",
        {
          apiVersion: "autoscaling/v1",
          kind: "HorizontalPodAutoscaler",
          metadata: { name: "a" },
          spec: { maxReplicas: 2, targetCPUUtilizationPercentage: 50, scaleTargetRef: { kind: "Deployment", name: "x" } },
        },
      ],
    ],
    reviews: true,
  },
  {
    title: "deployments of apps",
    hooks: [validating(allow(), withRules(rule(["CREATE"], ["deployments"], ["apps"])))],
    steps: [["POST", DEPLOYMENTS, deployment("a")]],
    reviews: true,
  },
  {
    title: "an update of a missing object reaches webhooks",
    hooks: [mutating(denial, onConfigMaps("UPDATE"))],
    steps: [["PATCH", `${CM}/missing`, { data: {} }, MERGE]],
  },
  {
    title: "a create of an existing object reaches webhooks",
    hooks: [mutating(allow())],
    steps: [create(), create()],
    reviews: true,
  },
  {
    title: "a create with generateName",
    hooks: [mutating(allow()), validating(allow())],
    steps: [["POST", CM, { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "gen-" } }]],
    reviews: true,
  },
  {
    title: "a replacement",
    hooks: [mutating(allow(), onConfigMaps("UPDATE")), validating(allow(), onConfigMaps("UPDATE"))],
    steps: [create(), ["PUT", `${CM}/a`, configMap("a", { data: { x: "y" } })]],
    reviews: true,
  },
];

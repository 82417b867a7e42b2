import {
  APPLY,
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
  PODS,
  patch,
  pod,
  rule,
  validating,
} from "../case.ts";

const denial = deny({ message: "no" });
const all = onConfigMaps("*");
const rulesFor = (operations: readonly string[], resources: readonly string[], groups = [""]) => ({
  rules: [rule(operations, resources, groups)],
});
const dryRunCase = (title: string, sideEffects: string): Case => ({
  title,
  hooks: [validating(allow(), { ...onConfigMaps(), sideEffects })],
  steps: [["POST", `${CM}?dryRun=All`, configMap("a")]],
  reviews: true,
});

export const operations: readonly Case[] = [
  dryRunCase("a dry run calls webhooks without side effects", "None"),
  dryRunCase("a dry run calls webhooks without side effects in dry runs", "NoneOnDryRun"),
  {
    title: "a dry run that is denied",
    hooks: [validating(denial)],
    steps: [
      ["POST", `${CM}?dryRun=All`, configMap("a")],
      ["GET", `${CM}/a`],
    ],
  },
  {
    title: "a deletion",
    hooks: [mutating(allow(), all), validating(allow(), all)],
    steps: [create(), ["DELETE", `${CM}/a`]],
    reviews: true,
  },
  {
    title: "a deletion with options",
    hooks: [validating(allow(), onConfigMaps("DELETE"))],
    steps: [
      create(),
      ["DELETE", `${CM}/a`, { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Background", gracePeriodSeconds: 0 }],
    ],
    reviews: true,
  },
  {
    title: "a deletion with a query",
    hooks: [validating(allow(), onConfigMaps("DELETE"))],
    steps: [create(), ["DELETE", `${CM}/a?propagationPolicy=Orphan&gracePeriodSeconds=3`]],
    reviews: true,
  },
  {
    title: "a deletion that is denied",
    hooks: [validating(denial, onConfigMaps("DELETE"))],
    steps: [create(), ["DELETE", `${CM}/a`], ["GET", `${CM}/a`]],
  },
  {
    title: "a mutating webhook cannot change a deletion",
    hooks: [mutating(patch([{ op: "add", path: "/x", value: 1 }]), onConfigMaps("DELETE"))],
    steps: [create(), ["DELETE", `${CM}/a`]],
  },
  {
    title: "a deletion of a missing object",
    hooks: [validating(denial, onConfigMaps("DELETE"))],
    steps: [["DELETE", `${CM}/a`]],
    reviews: true,
  },
  {
    title: "a deletion in a dry run",
    hooks: [validating(allow(), onConfigMaps("DELETE"))],
    steps: [create(), ["DELETE", `${CM}/a?dryRun=All`], ["GET", `${CM}/a`]],
    reviews: true,
  },
  {
    title: "a collection is deleted object by object",
    hooks: [validating(allow(), onConfigMaps("DELETE"))],
    steps: [create("a"), create("b"), ["DELETE", CM]],
    reviews: false,
  },
  {
    title: "a collection of one object in the review",
    hooks: [validating(allow(), onConfigMaps("DELETE"))],
    steps: [create("a"), ["DELETE", CM]],
    reviews: true,
  },
  {
    title: "a deletion of a collection that is denied",
    hooks: [validating(denial, onConfigMaps("DELETE"))],
    steps: [create("a"), ["DELETE", CM], ["GET", CM]],
  },
  {
    title: "the last finalizer is removed",
    hooks: [validating(allow(), onConfigMaps("UPDATE", "DELETE"))],
    steps: [
      create("a", { metadata: { finalizers: ["example.com/a"] } }),
      ["DELETE", `${CM}/a`],
      ["PATCH", `${CM}/a`, { metadata: { finalizers: null } }, MERGE],
    ],
    reviews: true,
  },
  {
    title: "an applied object that is new",
    hooks: [mutating(allow(), all), validating(allow(), all)],
    steps: [["PATCH", `${CM}/a?fieldManager=me`, configMap("a", { data: { x: "y" } }), APPLY]],
    reviews: true,
  },
  {
    title: "an applied object that exists",
    hooks: [mutating(allow(), all)],
    steps: [
      ["PATCH", `${CM}/a?fieldManager=me`, configMap("a", { data: { x: "y" } }), APPLY],
      ["PATCH", `${CM}/a?fieldManager=me&force=true`, configMap("a", { data: { x: "z" } }), APPLY],
    ],
    reviews: true,
  },
  {
    title: "an applied object that a webhook changes",
    hooks: [mutating(patch([{ op: "add", path: "/data/by", value: "hook" }]), all)],
    steps: [
      ["PATCH", `${CM}/a?fieldManager=me`, configMap("a", { data: { x: "y" } }), APPLY],
      ["PATCH", `${CM}/a?fieldManager=me`, configMap("a", { data: { x: "y" } }), APPLY],
    ],
  },
  {
    title: "options of a create",
    hooks: [validating(allow())],
    steps: [["POST", `${CM}?fieldManager=me&fieldValidation=Strict`, configMap("a")]],
    reviews: true,
  },
  {
    title: "a status",
    hooks: [
      mutating(allow(), rulesFor(["UPDATE"], ["deployments/status"], ["apps"])),
      validating(allow(), rulesFor(["UPDATE"], ["deployments/status"], ["apps"])),
    ],
    steps: [
      ["POST", DEPLOYMENTS, deployment("a")],
      ["PATCH", `${DEPLOYMENTS}/a/status`, { status: { replicas: 1 } }, MERGE],
    ],
    reviews: true,
  },
  {
    title: "a rule for the object does not match its status",
    hooks: [validating(denial, rulesFor(["UPDATE"], ["deployments"], ["apps"]))],
    steps: [
      ["POST", DEPLOYMENTS, deployment("a")],
      ["PATCH", `${DEPLOYMENTS}/a/status`, { status: { replicas: 1 } }, MERGE],
    ],
  },
  {
    title: "a scale",
    hooks: [
      mutating(allow(), rulesFor(["UPDATE"], ["deployments/scale"], ["apps"])),
      validating(allow(), rulesFor(["UPDATE"], ["*/scale"], ["apps"])),
    ],
    steps: [
      ["POST", DEPLOYMENTS, deployment("a")],
      ["PATCH", `${DEPLOYMENTS}/a/scale`, { spec: { replicas: 3 } }, MERGE],
    ],
    reviews: true,
  },
  {
    title: "a scale that a webhook changes",
    hooks: [mutating(patch([{ op: "replace", path: "/spec/replicas", value: 7 }]), rulesFor(["UPDATE"], ["deployments/scale"], ["apps"]))],
    steps: [
      ["POST", DEPLOYMENTS, deployment("a")],
      ["PATCH", `${DEPLOYMENTS}/a/scale`, { spec: { replicas: 3 } }, MERGE],
      ["GET", `${DEPLOYMENTS}/a`],
    ],
  },
  {
    title: "a scale that is denied",
    hooks: [validating(denial, rulesFor(["UPDATE"], ["deployments/scale"], ["apps"]))],
    steps: [
      ["POST", DEPLOYMENTS, deployment("a")],
      ["PATCH", `${DEPLOYMENTS}/a/scale`, { spec: { replicas: 3 } }, MERGE],
    ],
  },
  {
    title: "an eviction",
    hooks: [validating(allow(), rulesFor(["CREATE"], ["pods/eviction"]))],
    steps: [
      ["POST", PODS, pod("a")],
      ["POST", `${PODS}/a/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } }],
    ],
    reviews: true,
  },
  {
    title: "an eviction that is denied",
    hooks: [validating(denial, rulesFor(["CREATE"], ["pods/eviction"]))],
    steps: [
      ["POST", PODS, pod("a")],
      ["POST", `${PODS}/a/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } }],
    ],
  },
  {
    title: "a binding",
    hooks: [validating(allow(), rulesFor(["CREATE"], ["pods/binding"]))],
    steps: [
      ["POST", PODS, pod("a")],
      ["POST", `${PODS}/a/binding`, { apiVersion: "v1", kind: "Binding", metadata: { name: "a" }, target: { kind: "Node", name: "n" } }],
    ],
    reviews: true,
  },
  {
    title: "a SubjectAccessReview",
    hooks: [validating(denial, rulesFor(["CREATE"], ["localsubjectaccessreviews"], ["authorization.k8s.io"]))],
    steps: [
      [
        "POST",
        "/apis/authorization.k8s.io/v1/namespaces/NS/localsubjectaccessreviews",
        {
          apiVersion: "authorization.k8s.io/v1",
          kind: "LocalSubjectAccessReview",
          spec: { user: "x", resourceAttributes: { namespace: "NS", verb: "get", resource: "pods" } },
        },
      ],
    ],
  },
  {
    title: "an exec that is denied",
    hooks: [validating(denial, rulesFor(["CONNECT"], ["pods/exec"]))],
    steps: [
      ["POST", PODS, pod("a")],
      ["POST", `${PODS}/a/exec?command=ls&command=-l&container=main&stdin=true&stdout=true&tty=false`],
    ],
    reviews: true,
  },
  {
    title: "an attach that is denied",
    hooks: [mutating(denial, rulesFor(["CONNECT"], ["pods/attach"]))],
    steps: [
      ["POST", PODS, pod("a")],
      ["POST", `${PODS}/a/attach?container=main&stdout=true`],
    ],
    reviews: true,
  },
  {
    title: "a port-forward that is denied",
    hooks: [validating(denial, rulesFor(["CONNECT"], ["pods/portforward"]))],
    steps: [
      ["POST", PODS, pod("a")],
      ["POST", `${PODS}/a/portforward?ports=80`],
    ],
    reviews: true,
  },
  {
    title: "a proxy that is denied",
    hooks: [validating(denial, rulesFor(["CONNECT"], ["pods/proxy"]))],
    steps: [
      ["POST", PODS, pod("a")],
      ["GET", `${PODS}/a/proxy/x/y`],
    ],
    reviews: true,
  },
  {
    title: "the namespace of a Namespace is itself",
    hooks: [validating(allow(), rulesFor(["UPDATE"], ["namespaces"]))],
    steps: [["PATCH", "/api/v1/namespaces/NS", { metadata: { labels: { x: "y" } } }, MERGE]],
    reviews: true,
  },
  {
    title: "a deletion of a namespace",
    hooks: [validating(denial, rulesFor(["DELETE"], ["namespaces"]))],
    steps: [["DELETE", "/api/v1/namespaces/NS"]],
    reviews: true,
  },
  {
    title: "an event of the other group",
    hooks: [validating(allow(), { rules: [rule(["CREATE"], ["events"], ["events.k8s.io"])] })],
    steps: [
      [
        "POST",
        "/api/v1/namespaces/NS/events",
        {
          apiVersion: "v1",
          kind: "Event",
          metadata: { name: "a" },
          involvedObject: { namespace: "NS" },
          reason: "X",
          message: "m",
          type: "Normal",
          firstTimestamp: "2026-01-01T00:00:00Z",
          lastTimestamp: "2026-01-01T00:00:00Z",
          count: 1,
          source: { component: "c" },
        },
      ],
    ],
    reviews: true,
  },
];

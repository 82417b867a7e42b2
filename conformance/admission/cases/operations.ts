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

const no = deny({ message: "no" });
const all = onConfigMaps("*");
const on = (operations: readonly string[], resources: readonly string[], groups = [""]) => ({
  rules: [rule(operations, resources, groups)],
});
const dry = (title: string, sideEffects: string): Case => ({
  title,
  hooks: [validating(allow(), { ...onConfigMaps(), sideEffects })],
  steps: [["POST", `${CM}?dryRun=All`, configMap("a")]],
  reviews: true,
});

export const operations: readonly Case[] = [
  dry("a dry run asks those without side effects", "None"),
  dry("a dry run asks those without side effects in dry runs", "NoneOnDryRun"),
  {
    title: "a dry run of what is denied",
    hooks: [validating(no)],
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
    hooks: [validating(no, onConfigMaps("DELETE"))],
    steps: [create(), ["DELETE", `${CM}/a`], ["GET", `${CM}/a`]],
  },
  {
    title: "a deletion cannot be changed",
    hooks: [mutating(patch([{ op: "add", path: "/x", value: 1 }]), onConfigMaps("DELETE"))],
    steps: [create(), ["DELETE", `${CM}/a`]],
  },
  {
    title: "a deletion of what is missing",
    hooks: [validating(no, onConfigMaps("DELETE"))],
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
    title: "a collection goes one by one",
    hooks: [validating(allow(), onConfigMaps("DELETE"))],
    steps: [create("a"), create("b"), ["DELETE", CM]],
    reviews: false,
  },
  {
    title: "a collection of one, as it is seen",
    hooks: [validating(allow(), onConfigMaps("DELETE"))],
    steps: [create("a"), ["DELETE", CM]],
    reviews: true,
  },
  {
    title: "a collection that is denied",
    hooks: [validating(no, onConfigMaps("DELETE"))],
    steps: [create("a"), ["DELETE", CM], ["GET", CM]],
  },
  {
    title: "the last finalizer goes",
    hooks: [validating(allow(), onConfigMaps("UPDATE", "DELETE"))],
    steps: [
      create("a", { metadata: { finalizers: ["example.com/a"] } }),
      ["DELETE", `${CM}/a`],
      ["PATCH", `${CM}/a`, { metadata: { finalizers: null } }, MERGE],
    ],
    reviews: true,
  },
  {
    title: "what is applied and new",
    hooks: [mutating(allow(), all), validating(allow(), all)],
    steps: [["PATCH", `${CM}/a?fieldManager=me`, configMap("a", { data: { x: "y" } }), APPLY]],
    reviews: true,
  },
  {
    title: "what is applied again",
    hooks: [mutating(allow(), all)],
    steps: [
      ["PATCH", `${CM}/a?fieldManager=me`, configMap("a", { data: { x: "y" } }), APPLY],
      ["PATCH", `${CM}/a?fieldManager=me&force=true`, configMap("a", { data: { x: "z" } }), APPLY],
    ],
    reviews: true,
  },
  {
    title: "what is applied and changed",
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
      mutating(allow(), on(["UPDATE"], ["deployments/status"], ["apps"])),
      validating(allow(), on(["UPDATE"], ["deployments/status"], ["apps"])),
    ],
    steps: [
      ["POST", DEPLOYMENTS, deployment("a")],
      ["PATCH", `${DEPLOYMENTS}/a/status`, { status: { replicas: 1 } }, MERGE],
    ],
    reviews: true,
  },
  {
    title: "a status is not the object",
    hooks: [validating(no, on(["UPDATE"], ["deployments"], ["apps"]))],
    steps: [
      ["POST", DEPLOYMENTS, deployment("a")],
      ["PATCH", `${DEPLOYMENTS}/a/status`, { status: { replicas: 1 } }, MERGE],
    ],
  },
  {
    title: "a scale",
    hooks: [mutating(allow(), on(["UPDATE"], ["deployments/scale"], ["apps"])), validating(allow(), on(["UPDATE"], ["*/scale"], ["apps"]))],
    steps: [
      ["POST", DEPLOYMENTS, deployment("a")],
      ["PATCH", `${DEPLOYMENTS}/a/scale`, { spec: { replicas: 3 } }, MERGE],
    ],
    reviews: true,
  },
  {
    title: "a scale that is changed",
    hooks: [mutating(patch([{ op: "replace", path: "/spec/replicas", value: 7 }]), on(["UPDATE"], ["deployments/scale"], ["apps"]))],
    steps: [
      ["POST", DEPLOYMENTS, deployment("a")],
      ["PATCH", `${DEPLOYMENTS}/a/scale`, { spec: { replicas: 3 } }, MERGE],
      ["GET", `${DEPLOYMENTS}/a`],
    ],
  },
  {
    title: "a scale that is denied",
    hooks: [validating(no, on(["UPDATE"], ["deployments/scale"], ["apps"]))],
    steps: [
      ["POST", DEPLOYMENTS, deployment("a")],
      ["PATCH", `${DEPLOYMENTS}/a/scale`, { spec: { replicas: 3 } }, MERGE],
    ],
  },
  {
    title: "an eviction",
    hooks: [validating(allow(), on(["CREATE"], ["pods/eviction"]))],
    steps: [
      ["POST", PODS, pod("a")],
      ["POST", `${PODS}/a/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } }],
    ],
    reviews: true,
  },
  {
    title: "an eviction that is denied",
    hooks: [validating(no, on(["CREATE"], ["pods/eviction"]))],
    steps: [
      ["POST", PODS, pod("a")],
      ["POST", `${PODS}/a/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } }],
    ],
  },
  {
    title: "a binding",
    hooks: [validating(allow(), on(["CREATE"], ["pods/binding"]))],
    steps: [
      ["POST", PODS, pod("a")],
      ["POST", `${PODS}/a/binding`, { apiVersion: "v1", kind: "Binding", metadata: { name: "a" }, target: { kind: "Node", name: "n" } }],
    ],
    reviews: true,
  },
  {
    title: "a review of access",
    hooks: [validating(no, on(["CREATE"], ["localsubjectaccessreviews"], ["authorization.k8s.io"]))],
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
    hooks: [validating(no, on(["CONNECT"], ["pods/exec"]))],
    steps: [
      ["POST", PODS, pod("a")],
      ["POST", `${PODS}/a/exec?command=ls&command=-l&container=main&stdin=true&stdout=true&tty=false`],
    ],
    reviews: true,
  },
  {
    title: "an attach that is denied",
    hooks: [mutating(no, on(["CONNECT"], ["pods/attach"]))],
    steps: [
      ["POST", PODS, pod("a")],
      ["POST", `${PODS}/a/attach?container=main&stdout=true`],
    ],
    reviews: true,
  },
  {
    title: "a port-forward that is denied",
    hooks: [validating(no, on(["CONNECT"], ["pods/portforward"]))],
    steps: [
      ["POST", PODS, pod("a")],
      ["POST", `${PODS}/a/portforward?ports=80`],
    ],
    reviews: true,
  },
  {
    title: "a proxy that is denied",
    hooks: [validating(no, on(["CONNECT"], ["pods/proxy"]))],
    steps: [
      ["POST", PODS, pod("a")],
      ["GET", `${PODS}/a/proxy/x/y`],
    ],
    reviews: true,
  },
  {
    title: "a namespace is in itself",
    hooks: [validating(allow(), on(["UPDATE"], ["namespaces"]))],
    steps: [["PATCH", "/api/v1/namespaces/NS", { metadata: { labels: { x: "y" } } }, MERGE]],
    reviews: true,
  },
  {
    title: "a namespace that goes",
    hooks: [validating(no, on(["DELETE"], ["namespaces"]))],
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

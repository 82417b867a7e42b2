import {
  allow,
  base64,
  type Case,
  CM,
  create,
  DEPLOYMENTS,
  deployment,
  MERGE,
  mutating,
  onConfigMaps,
  PODS,
  patch,
  pod,
  respondWith,
  rule,
  validating,
} from "../case.ts";

const add = (path: string, value: unknown) => ({ op: "add", path, value });
const patchCase = (title: string, operations: unknown, data?: object): Case => ({
  title,
  hooks: [mutating(patch(operations))],
  steps: [create("a", data === undefined ? {} : { data })],
});
const pods = { rules: [rule(["CREATE"], ["pods"])] };
const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const widgets = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.NS.example.com" },
  spec: {
    group: "NS.example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget", singular: "widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { type: "integer", minimum: 1 },
                  color: { type: "string", default: "red" },
                  part: { type: "object", properties: { depth: { type: "integer", default: 7 } } },
                },
              },
              status: { type: "object", properties: { phase: { type: "string" } } },
            },
          },
        },
      },
    ],
  },
};
const WIDGETS = "/apis/NS.example.com/v1/namespaces/NS/widgets";
const widget = { apiVersion: "NS.example.com/v1", kind: "Widget", metadata: { name: "a" }, spec: { size: 1 } };
const onWidgets = (...operations: string[]) => ({ rules: [rule(operations, ["widgets", "widgets/*"], ["NS.example.com"])] });
const customResourceCase = (title: string, operations: unknown): Case => ({
  title,
  objects: [[CRDS, widgets]],
  hooks: [mutating(patch(operations), onWidgets("CREATE"))],
  steps: [["POST", WIDGETS, widget]],
});

export const patches: readonly Case[] = [
  patchCase("a field is added", [add("/data", { a: "b" })]),
  patchCase("several operations in one patch", [
    add("/data", {}),
    add("/data/a", "1"),
    { op: "copy", from: "/data/a", path: "/data/b" },
    { op: "move", from: "/data/a", path: "/data/c" },
  ]),
  patchCase("a field is removed", [{ op: "remove", path: "/data/x" }], { x: "y" }),
  patchCase("a field is replaced", [{ op: "replace", path: "/data/x", value: "z" }], { x: "y" }),
  patchCase("a test that holds", [{ op: "test", path: "/data/x", value: "y" }, add("/data/z", "1")], { x: "y" }),
  patchCase("a test that does not hold", [{ op: "test", path: "/data/x", value: "n" }, add("/data/z", "1")], { x: "y" }),
  patchCase("no operations", []),
  patchCase("operations that change nothing", [{ op: "replace", path: "/data/x", value: "y" }], { x: "y" }),
  patchCase("the parent is missing", [add("/data/x", "y")]),
  patchCase("what should be removed is missing", [{ op: "remove", path: "/data/z" }], { x: "y" }),
  patchCase("what should be replaced has no parent", [{ op: "replace", path: "/data/x", value: "y" }]),
  patchCase("an operation that is none", [{ op: "mangle", path: "/data" }]),
  patchCase("an operation without path", [{ op: "add", value: 1 }]),
  patchCase("a test of what is not there", [{ op: "test", path: "/data/x", value: "y" }]),
  patchCase("a move of what is not there", [{ op: "move", from: "/data/x", path: "/data/y" }], { z: "1" }),
  patchCase("a patch that is an object", { op: "add" }),
  patchCase("a patch that is no JSON", "nonsense"),
  patchCase("a value of the wrong type", [add("/data", { a: 1 })]),
  patchCase("a list instead of an object", [add("/data", ["a"])]),
  patchCase("an unknown field", [add("/unknown", { a: "b" })]),
  patchCase("labels and annotations", [add("/metadata/labels", { a: "b" }), add("/metadata/annotations", { c: "d" })]),
  patchCase("a label that is invalid", [add("/metadata/labels", { "a b": "c" })]),
  patchCase("another name", [{ op: "replace", path: "/metadata/name", value: "b" }]),
  patchCase("another namespace", [{ op: "replace", path: "/metadata/namespace", value: "default" }]),
  patchCase("finalizers and owners", [
    add("/metadata/finalizers", ["example.com/a"]),
    add("/metadata/ownerReferences", [
      { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u" },
      { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u" },
    ]),
  ]),
  patchCase("managed fields removed", [{ op: "remove", path: "/metadata/managedFields" }], { x: "y" }),
  patchCase("managed fields made invalid", [add("/metadata/managedFields", [{ manager: "x", operation: "Nonsense", apiVersion: "v1" }])], {
    x: "y",
  }),
  { title: "a patch without its type", hooks: [mutating(allow({ patch: base64("[]") }))], steps: [create()] },
  { title: "a type without a patch", hooks: [mutating(allow({ patchType: "JSONPatch" }))], steps: [create()] },
  {
    title: "a patch of another type",
    hooks: [mutating(allow({ patchType: "MergePatch", patch: base64('[{"op":"add","path":"/data","value":{}}]') }))],
    steps: [create()],
  },
  { title: "a patch that is not in base64", hooks: [mutating(allow({ patchType: "JSONPatch", patch: "!!" }))], steps: [create()] },
  {
    title: "a patch with a denial",
    hooks: [
      mutating(
        respondWith((review) => ({
          apiVersion: review.apiVersion,
          kind: review.kind,
          response: { uid: review.request.uid, allowed: false, patchType: "JSONPatch", patch: base64("[]") },
        })),
      ),
    ],
    steps: [create()],
  },
  {
    title: "a container is added and defaulted",
    hooks: [mutating(patch([add("/spec/containers/-", { name: "side", image: "side:1", ports: [{ containerPort: 80 }] })]), pods)],
    steps: [["POST", PODS, pod("a")]],
  },
  {
    title: "a container that is invalid",
    hooks: [mutating(patch([add("/spec/containers/-", { name: "main", image: "" })]), pods)],
    steps: [["POST", PODS, pod("a")]],
  },
  {
    title: "resources, which Go always encodes",
    hooks: [mutating(patch([add("/spec/containers/0/resources/limits", { cpu: "1" })]), pods)],
    steps: [["POST", PODS, pod("a")]],
  },
  {
    title: "an index beyond the end of a list",
    hooks: [mutating(patch([add("/spec/containers/5", { name: "x" })]), pods)],
    steps: [["POST", PODS, pod("a")]],
  },
  {
    title: "an index that is not a number",
    hooks: [mutating(patch([add("/spec/containers/x", { name: "x" })]), pods)],
    steps: [["POST", PODS, pod("a")]],
  },
  {
    title: "pods in the admission review",
    hooks: [mutating(allow(), pods), validating(allow(), pods)],
    steps: [["POST", PODS, pod("a")]],
    reviews: true,
  },
  {
    title: "managed fields of a mutated object",
    hooks: [mutating(patch([add("/spec/replicas", 5)]), { rules: [rule(["CREATE", "UPDATE"], ["deployments"], ["apps"])] })],
    steps: [
      ["POST", DEPLOYMENTS, deployment("a")],
      ["PATCH", `${DEPLOYMENTS}/a`, { spec: { paused: true } }, MERGE],
    ],
  },
  {
    title: "status set by a webhook on create",
    hooks: [mutating(patch([add("/status", { replicas: 3 })]), { rules: [rule(["CREATE"], ["deployments"], ["apps"])] })],
    steps: [["POST", DEPLOYMENTS, deployment("a")]],
  },
  {
    title: "an object mutated on update",
    hooks: [mutating(patch([add("/data/z", "1")]), onConfigMaps("UPDATE"))],
    steps: [
      create("a", { data: { x: "y" } }),
      ["PATCH", `${CM}/a`, { data: { x: "z" } }, MERGE],
      ["PATCH", `${CM}/a`, { data: { x: "z" } }, MERGE],
    ],
    reviews: true,
  },
  {
    title: "an update that a webhook reverts",
    hooks: [mutating(patch([{ op: "replace", path: "/data/x", value: "y" }]), onConfigMaps("UPDATE"))],
    steps: [create("a", { data: { x: "y" } }), ["PATCH", `${CM}/a`, { data: { x: "z" } }, MERGE]],
  },
  customResourceCase("a custom resource is changed", [add("/spec/color", "blue")]),
  customResourceCase("a custom resource gets defaults in what was added", [add("/spec/part", {})]),
  customResourceCase("a custom resource gets a field that its schema does not know", [add("/spec/other", 1)]),
  customResourceCase("a custom resource becomes invalid", [{ op: "replace", path: "/spec/size", value: 0 }]),
  customResourceCase("a custom resource gets a value of the wrong type", [{ op: "replace", path: "/spec/size", value: "big" }]),
  customResourceCase("a custom resource loses its kind", [{ op: "remove", path: "/kind" }]),
  customResourceCase("a custom resource gets another kind", [{ op: "replace", path: "/kind", value: "Gadget" }]),
  customResourceCase("a custom resource gets a null", [add("/spec/color", null)]),
  customResourceCase("a custom resource gets a status", [add("/status", { phase: "x" })]),
  {
    title: "the status of a custom resource",
    objects: [[CRDS, widgets]],
    hooks: [
      mutating(patch([add("/status", { phase: "changed" }), add("/spec/size", 9)]), onWidgets("UPDATE")),
      validating(allow(), onWidgets("UPDATE")),
    ],
    steps: [
      ["POST", WIDGETS, widget],
      ["PATCH", `${WIDGETS}/a/status`, { status: { phase: "x" } }, MERGE],
    ],
    reviews: true,
  },
];

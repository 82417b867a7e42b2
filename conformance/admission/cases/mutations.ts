import {
  ADMISSION,
  type Case,
  CM,
  configMap,
  configuring,
  create,
  DEPLOYMENTS,
  deployment,
  MERGE,
  mutating,
  type Placed,
  PODS,
  patch,
  pod,
  rule,
} from "../case.ts";

const configMaps = [rule(["CREATE", "UPDATE"], ["configmaps"])];
type Spec = { readonly matchConstraints?: object; readonly [field: string]: unknown };

const policy = (mutations: readonly object[], spec: Spec = {}, name = "NS"): Placed => [
  `${ADMISSION}/mutatingadmissionpolicies`,
  configuring("MutatingAdmissionPolicy", name, {
    spec: {
      reinvocationPolicy: "Never",
      mutations,
      ...spec,
      matchConstraints: {
        resourceRules: configMaps,
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "NS" } },
        ...spec.matchConstraints,
      },
    },
  }),
];
const binding = (spec: object = {}, name = "NS"): Placed => [
  `${ADMISSION}/mutatingadmissionpolicybindings`,
  configuring("MutatingAdmissionPolicyBinding", name, {
    spec: { policyName: name, ...spec },
  }),
];
const apply = (expression: string) => ({ patchType: "ApplyConfiguration", applyConfiguration: { expression } });
const json = (expression: string) => ({ patchType: "JSONPatch", jsonPatch: { expression } });
const sample = create("a", { data: { size: "3" }, metadata: { labels: { a: "b" } } });
const bound = (title: string, mutations: readonly object[], spec: Spec = {}, steps: Case["steps"] = [sample]): Case => ({
  title,
  objects: [policy(mutations, spec), binding()],
  steps,
});
const label = apply('Object{metadata: Object.metadata{labels: {"set": "yes"}}}');
const onPods = { matchConstraints: { resourceRules: [rule(["CREATE"], ["pods"])] } };
const refused = (title: string, mutation: object, spec: object = {}): Case => ({
  title,
  steps: [
    [
      "POST",
      `${ADMISSION}/mutatingadmissionpolicies?dryRun=All`,
      configuring("MutatingAdmissionPolicy", "NS", {
        spec: { matchConstraints: { resourceRules: configMaps }, reinvocationPolicy: "Never", mutations: [mutation], ...spec },
      }),
    ],
  ],
});

export const mutations: readonly Case[] = [
  bound("a configuration is applied", [label]),
  bound("a configuration of what is there", [apply('Object{data: {"double": object.data.size + object.data.size}}')]),
  bound("a configuration that says nothing", [apply("Object{}")]),
  bound("two mutations, one after the other", [
    label,
    apply('Object{metadata: Object.metadata{annotations: {"labels": string(object.metadata.labels.size())}}}'),
  ]),
  bound("a JSON patch", [json('[JSONPatch{op: "add", path: "/data/more", value: "1"}, JSONPatch{op: "remove", path: "/data/size"}]')]),
  bound("a JSON patch with a key to escape", [
    json('[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("example.com/x"), value: "1"}]'),
  ]),
  bound("a JSON patch with an object", [json('[JSONPatch{op: "add", path: "/metadata/annotations", value: {"x": "y"}}]')]),
  bound("a JSON patch with a test that does not hold", [
    json('[JSONPatch{op: "test", path: "/data/size", value: "9"}, JSONPatch{op: "add", path: "/data/more", value: "1"}]'),
  ]),
  bound("a JSON patch that does not apply", [json('[JSONPatch{op: "add", path: "/nothing/more", value: "1"}]')]),
  bound("a JSON patch that does not apply, ignored", [json('[JSONPatch{op: "add", path: "/nothing/more", value: "1"}]')], {
    failurePolicy: "Ignore",
  }),
  bound("an expression that fails", [apply("Object{data: {'x': object.data.other}}")]),
  bound("an expression that fails, ignored", [apply("Object{data: {'x': object.data.other}}"), label], { failurePolicy: "Ignore" }),
  bound("a part in the wrong place", [apply("Object{metadata: Object.spec{}}")]),
  bound("conditions that hold a mutation back", [label], { matchConditions: [{ name: "c", expression: "object.data.size == '4'" }] }),
  bound("conditions of a mutation that fail", [label], { matchConditions: [{ name: "c", expression: "object.data.other == '4'" }] }),
  bound("variables of a mutation", [apply("Object{data: {'next': string(variables.size + 1)}}")], {
    variables: [{ name: "size", expression: "int(object.data.size)" }],
  }),
  bound("the namespace of a mutation", [apply("Object{data: {'in': namespaceObject.metadata.name}}")]),
  bound(
    "a deployment is scaled",
    [apply("Object{spec: Object.spec{replicas: object.spec.replicas * 2}}")],
    { matchConstraints: { resourceRules: [rule(["CREATE"], ["deployments"], ["apps"])] } },
    [["POST", DEPLOYMENTS, deployment("a", 2)]],
  ),
  bound(
    "a container is added",
    [apply('Object{spec: Object.spec{containers: [Object.spec.containers{name: "side", image: "side:1"}]}}')],
    onPods,
    [["POST", PODS, pod("a")]],
  ),
  bound(
    "a container is changed",
    [
      apply(
        'Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, imagePullPolicy: "Always"})}}',
      ),
    ],
    onPods,
    [["POST", PODS, pod("a")]],
  ),
  bound(
    "a list that is replaced as a whole",
    [apply('Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: "x", operator: "Exists"}]}}')],
    onPods,
    [["POST", PODS, pod("a")]],
  ),
  bound("an object that becomes invalid", [apply('Object{metadata: Object.metadata{labels: {"not a label": "x"}}}')]),
  bound("an update", [apply("Object{data: {'old': oldObject == null ? 'none' : oldObject.data.size}}")], {}, [
    sample,
    ["PATCH", `${CM}/a`, { data: { size: "5" } }, MERGE],
  ]),
  {
    title: "policies before webhooks",
    objects: [policy([label]), binding()],
    hooks: [mutating(patch([{ op: "add", path: "/metadata/labels/hook", value: "yes" }]))],
    steps: [sample],
    reviews: true,
  },
  { title: "a mutation that is not bound", objects: [policy([label])], steps: [sample] },
  {
    title: "a mutation with a parameter",
    objects: [
      [CM, configMap("param", { data: { add: "this" } })],
      policy([apply("Object{data: {'added': params.data.add}}")], { paramKind: { apiVersion: "v1", kind: "ConfigMap" } }),
      binding({ paramRef: { name: "param", parameterNotFoundAction: "Deny" } }),
    ],
    steps: [sample],
  },
  {
    title: "a mutation without its parameter",
    objects: [
      policy([label], { paramKind: { apiVersion: "v1", kind: "ConfigMap" } }),
      binding({ paramRef: { name: "param", parameterNotFoundAction: "Deny" } }),
    ],
    steps: [sample],
  },
  refused("a mutation that does not compile", apply("Object{")),
  refused("a mutation of another type", apply("1")),
  refused("a JSON patch that is none", json("Object{}")),
  refused("a type that cannot be made", apply("Other{}")),
  refused("a field that operations do not have", json("[JSONPatch{nonsense: 1}]")),
];

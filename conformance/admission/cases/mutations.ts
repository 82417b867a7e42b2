import {
  ADMISSION,
  buildAdmissionObject,
  type Case,
  CM,
  configMap,
  create,
  DEPLOYMENTS,
  deployment,
  MERGE,
  mutating,
  type ObjectAt,
  PODS,
  patch,
  pod,
  rule,
} from "../case.ts";

const configMaps = [rule(["CREATE", "UPDATE"], ["configmaps"])];
type Spec = { readonly matchConstraints?: object; readonly [field: string]: unknown };

const policy = (mutations: readonly object[], spec: Spec = {}, name = "NS"): ObjectAt => [
  `${ADMISSION}/mutatingadmissionpolicies`,
  buildAdmissionObject("MutatingAdmissionPolicy", name, {
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
const binding = (spec: object = {}, name = "NS"): ObjectAt => [
  `${ADMISSION}/mutatingadmissionpolicybindings`,
  buildAdmissionObject("MutatingAdmissionPolicyBinding", name, {
    spec: { policyName: name, ...spec },
  }),
];
const applyMutation = (expression: string) => ({ patchType: "ApplyConfiguration", applyConfiguration: { expression } });
const jsonPatchMutation = (expression: string) => ({ patchType: "JSONPatch", jsonPatch: { expression } });
const sample = create("a", { data: { size: "3" }, metadata: { labels: { a: "b" } } });
const mutationCase = (title: string, mutations: readonly object[], spec: Spec = {}, steps: Case["steps"] = [sample]): Case => ({
  title,
  objects: [policy(mutations, spec), binding()],
  steps,
});
const label = applyMutation('Object{metadata: Object.metadata{labels: {"set": "yes"}}}');
const onPods = { matchConstraints: { resourceRules: [rule(["CREATE"], ["pods"])] } };
const refusedCase = (title: string, mutation: object, spec: object = {}): Case => ({
  title,
  steps: [
    [
      "POST",
      `${ADMISSION}/mutatingadmissionpolicies?dryRun=All`,
      buildAdmissionObject("MutatingAdmissionPolicy", "NS", {
        spec: { matchConstraints: { resourceRules: configMaps }, reinvocationPolicy: "Never", mutations: [mutation], ...spec },
      }),
    ],
  ],
});

export const mutations: readonly Case[] = [
  mutationCase("a configuration is applied", [label]),
  mutationCase("an apply configuration of an existing field", [
    applyMutation('Object{data: {"double": object.data.size + object.data.size}}'),
  ]),
  mutationCase("an empty apply configuration", [applyMutation("Object{}")]),
  mutationCase("two mutations, one after the other", [
    label,
    applyMutation('Object{metadata: Object.metadata{annotations: {"labels": string(object.metadata.labels.size())}}}'),
  ]),
  mutationCase("a JSON patch", [
    jsonPatchMutation('[JSONPatch{op: "add", path: "/data/more", value: "1"}, JSONPatch{op: "remove", path: "/data/size"}]'),
  ]),
  mutationCase("a JSON patch with a key to escape", [
    jsonPatchMutation('[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("example.com/x"), value: "1"}]'),
  ]),
  mutationCase("a JSON patch with an object", [
    jsonPatchMutation('[JSONPatch{op: "add", path: "/metadata/annotations", value: {"x": "y"}}]'),
  ]),
  mutationCase("a JSON patch with a test that does not hold", [
    jsonPatchMutation('[JSONPatch{op: "test", path: "/data/size", value: "9"}, JSONPatch{op: "add", path: "/data/more", value: "1"}]'),
  ]),
  mutationCase("a JSON patch that does not apply", [jsonPatchMutation('[JSONPatch{op: "add", path: "/nothing/more", value: "1"}]')]),
  mutationCase(
    "a JSON patch that does not apply, ignored",
    [jsonPatchMutation('[JSONPatch{op: "add", path: "/nothing/more", value: "1"}]')],
    {
      failurePolicy: "Ignore",
    },
  ),
  mutationCase("an expression that fails", [applyMutation("Object{data: {'x': object.data.other}}")]),
  mutationCase("an expression that fails, ignored", [applyMutation("Object{data: {'x': object.data.other}}"), label], {
    failurePolicy: "Ignore",
  }),
  mutationCase("a field of the wrong parent", [applyMutation("Object{metadata: Object.spec{}}")]),
  mutationCase("match conditions that exclude a mutation", [label], {
    matchConditions: [{ name: "c", expression: "object.data.size == '4'" }],
  }),
  mutationCase("match conditions of a mutation that fail to evaluate", [label], {
    matchConditions: [{ name: "c", expression: "object.data.other == '4'" }],
  }),
  mutationCase("variables of a mutation", [applyMutation("Object{data: {'next': string(variables.size + 1)}}")], {
    variables: [{ name: "size", expression: "int(object.data.size)" }],
  }),
  mutationCase("the namespace of a mutation", [applyMutation("Object{data: {'in': namespaceObject.metadata.name}}")]),
  mutationCase(
    "a deployment is scaled",
    [applyMutation("Object{spec: Object.spec{replicas: object.spec.replicas * 2}}")],
    { matchConstraints: { resourceRules: [rule(["CREATE"], ["deployments"], ["apps"])] } },
    [["POST", DEPLOYMENTS, deployment("a", 2)]],
  ),
  mutationCase(
    "a container is added",
    [applyMutation('Object{spec: Object.spec{containers: [Object.spec.containers{name: "side", image: "side:1"}]}}')],
    onPods,
    [["POST", PODS, pod("a")]],
  ),
  mutationCase(
    "a container is changed",
    [
      applyMutation(
        'Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, imagePullPolicy: "Always"})}}',
      ),
    ],
    onPods,
    [["POST", PODS, pod("a")]],
  ),
  mutationCase(
    "a list that is replaced as a whole",
    [applyMutation('Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: "x", operator: "Exists"}]}}')],
    onPods,
    [["POST", PODS, pod("a")]],
  ),
  mutationCase("an object that becomes invalid", [applyMutation('Object{metadata: Object.metadata{labels: {"not a label": "x"}}}')]),
  mutationCase("an update", [applyMutation("Object{data: {'old': oldObject == null ? 'none' : oldObject.data.size}}")], {}, [
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
  { title: "a mutation without a binding", objects: [policy([label])], steps: [sample] },
  {
    title: "a mutation with a parameter",
    objects: [
      [CM, configMap("param", { data: { add: "this" } })],
      policy([applyMutation("Object{data: {'added': params.data.add}}")], { paramKind: { apiVersion: "v1", kind: "ConfigMap" } }),
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
  refusedCase("a mutation that does not compile", applyMutation("Object{")),
  refusedCase("a mutation of another type", applyMutation("1")),
  refusedCase("a JSON patch that is none", jsonPatchMutation("Object{}")),
  refusedCase("a type that cannot be made", applyMutation("Other{}")),
  refusedCase("a field that operations do not have", jsonPatchMutation("[JSONPatch{nonsense: 1}]")),
];

import { ADMISSION, type Case, CM, configMap, configuring, create, DEPLOYMENTS, deployment, MERGE, type Placed, rule } from "../case.ts";

const POLICIES = `${ADMISSION}/validatingadmissionpolicies`;
const BINDINGS = `${ADMISSION}/validatingadmissionpolicybindings`;
const here = { matchLabels: { "kubernetes.io/metadata.name": "NS" } };
const configMaps = [rule(["CREATE", "UPDATE"], ["configmaps"])];

export const policy = (spec: { readonly matchConstraints?: object; readonly [field: string]: unknown }, name = "NS"): Placed => [
  POLICIES,
  configuring("ValidatingAdmissionPolicy", name, {
    spec: { ...spec, matchConstraints: { resourceRules: configMaps, namespaceSelector: here, ...spec.matchConstraints } },
  }),
];
export const binding = (spec: object = {}, name = "NS", policyName = "NS"): Placed => [
  BINDINGS,
  configuring("ValidatingAdmissionPolicyBinding", name, {
    spec: { policyName, validationActions: ["Deny"], ...spec },
  }),
];

type Validation = { readonly expression: string; readonly [field: string]: unknown };
const sample = create("a", { data: { size: "3", color: "red" }, metadata: { labels: { a: "b" } } });
/** One policy with one binding. */
const bound = (title: string, validations: readonly Validation[], more: object = {}, ref: object = {}, steps = [sample]): Case => ({
  title,
  objects: [policy({ validations, ...more }), binding(ref)],
  steps,
});
const refusedPolicy = (title: string, spec: object): Case => ({
  title,
  steps: [
    [
      "POST",
      `${POLICIES}?dryRun=All`,
      configuring("ValidatingAdmissionPolicy", "NS", {
        spec: { matchConstraints: { resourceRules: configMaps }, ...spec },
      }),
    ],
  ],
});
const no = { expression: "false" };

const limits = (name: string, data: object, labels: object = {}): Placed => [CM, configMap(name, { data, metadata: { labels } })];
const params = { paramKind: { apiVersion: "v1", kind: "ConfigMap" } };
/** Not about the parameters themselves. */
const notParams = { matchConditions: [{ name: "no-params", expression: "!object.metadata.name.startsWith('param')" }] };
const withParams = (
  title: string,
  validations: readonly Validation[],
  paramRef: object,
  objects: readonly Placed[],
  more: object = {},
): Case => ({
  title,
  objects: [...objects, policy({ validations, ...params, ...notParams, ...more }), binding({ paramRef })],
  steps: [sample],
});

export const policies: readonly Case[] = [
  bound("a policy that holds", [{ expression: "object.data.size == '3'" }]),
  bound("a policy that does not hold", [{ expression: "object.data.size == '4'" }]),
  bound("a message", [{ ...no, message: "never mind" }]),
  bound("a message that is made", [{ ...no, messageExpression: "'size is ' + object.data.size" }]),
  bound("a message that is made counts more", [{ ...no, message: "plain", messageExpression: "'made of ' + object.data.color" }]),
  bound("a message that cannot be made", [{ ...no, message: "plain", messageExpression: "object.data.other" + " + ''" }]),
  bound("a message with several lines", [{ ...no, message: "plain", messageExpression: "'a\\nb'" }]),
  bound("a message that is empty", [{ ...no, message: "plain", messageExpression: "' '" }]),
  bound("a reason: Forbidden", [{ ...no, reason: "Forbidden" }]),
  bound("a reason: Invalid", [{ ...no, reason: "Invalid" }]),
  bound("a reason: RequestEntityTooLarge", [{ ...no, reason: "RequestEntityTooLarge" }]),
  bound("the first validation that does not hold is told", [
    { expression: "true" },
    { ...no, message: "second" },
    { ...no, message: "third" },
  ]),
  bound("an error", [{ expression: "object.data.other == 'x'" }]),
  bound("an error in a policy that is ignored", [{ expression: "object.data.other == 'x'" }], { failurePolicy: "Ignore" }),
  bound("an error and a denial, errors ignored", [{ expression: "object.data.other == 'x'" }, { ...no, message: "denied" }], {
    failurePolicy: "Ignore",
  }),
  bound("a warning", [{ ...no, message: "careful" }], {}, { validationActions: ["Warn"] }),
  bound("a warning of an error", [{ expression: "object.data.other == 'x'" }], {}, { validationActions: ["Warn"] }),
  bound("audit only", [no], {}, { validationActions: ["Audit"] }),
  bound("denied and audited", [no], {}, { validationActions: ["Deny", "Audit"] }),
  bound("warned and audited", [no], {}, { validationActions: ["Warn", "Audit"] }),
  { title: "a policy without a binding", objects: [policy({ validations: [no] })], steps: [sample] },
  { title: "a binding without a policy", objects: [binding()], steps: [sample] },
  {
    title: "two bindings of one policy",
    objects: [
      policy({ validations: [no] }),
      binding({ validationActions: ["Warn"] }, "NS-a"),
      binding({ validationActions: ["Audit"] }, "NS-b"),
    ],
    steps: [sample],
  },
  bound("variables", [{ expression: "variables.size > 2 && variables.double == 6" }], {
    variables: [
      { name: "size", expression: "int(object.data.size)" },
      { name: "double", expression: "variables.size * 2" },
    ],
  }),
  bound("variables in messages", [{ ...no, messageExpression: "'got ' + string(variables.size)" }], {
    variables: [{ name: "size", expression: "int(object.data.size)" }],
  }),
  bound("a variable that fails", [{ expression: "variables.other == 'x'" }], {
    variables: [{ name: "other", expression: "object.data.other" }],
  }),
  bound("a variable that fails and is not needed", [{ expression: "true || variables.other == 'x'" }], {
    variables: [{ name: "other", expression: "object.data.other" }],
  }),
  bound("a variable that is a list", [{ expression: "variables.names.all(n, n.size() > 3)" }], {
    variables: [{ name: "names", expression: "object.data.map(k, k)" }],
  }),
  bound("conditions that are met", [no], { matchConditions: [{ name: "c", expression: "object.data.size == '3'" }] }),
  bound("conditions that are not met", [no], { matchConditions: [{ name: "c", expression: "object.data.size == '4'" }] }),
  bound("conditions that fail", [no], { matchConditions: [{ name: "c", expression: "object.data.other == '4'" }] }),
  bound("conditions that fail and are ignored", [no], {
    failurePolicy: "Ignore",
    matchConditions: [{ name: "c", expression: "object.data.other == '4'" }],
  }),
  bound("the request in a policy", [
    { expression: "request.operation != 'CREATE'", messageExpression: "request.resource.resource + ' ' + request.userInfo.username" },
  ]),
  bound("the namespace in a policy", [
    {
      expression: "namespaceObject.metadata.name != request.namespace",
      messageExpression: "namespaceObject.metadata.labels['kubernetes.io/metadata.name']",
    },
  ]),
  bound("the phase of the namespace", [
    { expression: "namespaceObject.status.phase == 'Gone'", messageExpression: "namespaceObject.status.phase" },
  ]),
  bound("who may in a policy", [{ expression: "!authorizer.group('').resource('secrets').check('get').allowed()" }]),
  bound("who may with this very thing in a policy", [
    { expression: "authorizer.serviceAccount('default', 'x').group('').resource('pods').namespace('y').check('get').allowed()" },
  ]),
  bound("too many questions", [
    {
      expression:
        "authorizer.path('/a').check('get').allowed() && authorizer.path('/b').check('get').allowed() && authorizer.path('/c').check('get').allowed()",
    },
  ]),
  bound(
    "the old object",
    [{ expression: "oldObject == null || object.data.size == oldObject.data.size", message: "size is fixed" }],
    {},
    {},
    [sample, ["PATCH", `${CM}/a`, { data: { color: "blue" } }, MERGE], ["PATCH", `${CM}/a`, { data: { size: "5" } }, MERGE]] as never,
  ),
  bound(
    "deletions",
    [{ expression: "oldObject.data.color != 'red'", message: "red stays" }],
    { matchConstraints: { resourceRules: [rule(["DELETE"], ["configmaps"])] } },
    {},
    [sample, ["DELETE", `${CM}/a`]] as never,
  ),
  bound("a policy for other operations", [no], { matchConstraints: { resourceRules: [rule(["DELETE"], ["configmaps"])] } }),
  bound(
    "a policy for names",
    [no],
    { matchConstraints: { resourceRules: [{ ...rule(["CREATE"], ["configmaps"]), resourceNames: ["a"] }] } },
    {},
    [sample, create("b")],
  ),
  bound(
    "a policy with exceptions",
    [no],
    {
      matchConstraints: {
        resourceRules: [rule(["CREATE"], ["configmaps"])],
        excludeResourceRules: [{ ...rule(["CREATE"], ["configmaps"]), resourceNames: ["b"] }],
      },
    },
    {},
    [sample, create("b")],
  ),
  bound("a policy that selects objects", [no], { matchConstraints: { objectSelector: { matchLabels: { a: "b" } } } }, {}, [
    sample,
    create("b"),
  ]),
  bound("a binding that selects objects", [no], {}, { matchResources: { objectSelector: { matchLabels: { a: "b" } } } }, [
    sample,
    create("b"),
  ]),
  bound("a binding for another namespace", [no], {}, { matchResources: { namespaceSelector: { matchLabels: { tier: "gold" } } } }),
  bound("a binding with rules", [no], {}, { matchResources: { resourceRules: [rule(["UPDATE"], ["configmaps"])] } }, [
    sample,
    ["PATCH", `${CM}/a`, { data: { x: "y" } }, MERGE],
  ] as never),
  bound(
    "a scale in a policy",
    [{ expression: "object.spec.replicas <= 2", messageExpression: "'at most 2, not ' + string(object.spec.replicas)" }],
    { matchConstraints: { resourceRules: [rule(["UPDATE"], ["deployments/scale"], ["apps"])] } },
    {},
    [
      ["POST", DEPLOYMENTS, deployment("a")],
      ["PATCH", `${DEPLOYMENTS}/a/scale`, { spec: { replicas: 5 } }, MERGE],
    ] as never,
  ),
  bound(
    "lists of a deployment",
    [{ expression: "object.spec.template.spec.containers.all(c, c.image.contains(':'))", message: "images have tags" }],
    { matchConstraints: { resourceRules: [rule(["CREATE"], ["deployments"], ["apps"])] } },
    {},
    [["POST", DEPLOYMENTS, deployment("a")]] as never,
  ),
  bound(
    "numbers of a deployment",
    [{ expression: "object.spec.replicas < 1 && object.spec.progressDeadlineSeconds == 600" }],
    { matchConstraints: { resourceRules: [rule(["CREATE"], ["deployments"], ["apps"])] } },
    {},
    [["POST", DEPLOYMENTS, deployment("a")]] as never,
  ),
  bound("an annotation for the audit", [{ expression: "true" }], {
    auditAnnotations: [{ key: "size", valueExpression: "'size ' + object.data.size" }],
  }),
  bound("an annotation for the audit that fails", [{ expression: "true" }], {
    auditAnnotations: [{ key: "size", valueExpression: "'size ' + object.data.other" }],
  }),
  bound("an annotation for the audit that fails, ignored", [{ expression: "true" }], {
    failurePolicy: "Ignore",
    auditAnnotations: [{ key: "size", valueExpression: "'size ' + object.data.other" }],
  }),
  bound("a generated name in a policy", [no], {}, {}, [
    ["POST", CM, { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "gen-" } }],
  ] as never),
  withParams(
    "a parameter by its name",
    [{ expression: "object.data.size == params.data.size", messageExpression: "'must be ' + params.data.size" }],
    { name: "param", parameterNotFoundAction: "Deny" },
    [limits("param", { size: "9" })],
  ),
  withParams("a parameter that is missing and must not", [no], { name: "param", parameterNotFoundAction: "Deny" }, []),
  withParams("a parameter that is missing and may", [no], { name: "param", parameterNotFoundAction: "Allow" }, []),
  withParams(
    "a parameter of another namespace",
    [{ expression: "params.data.size == '1'" }],
    { name: "param", namespace: "NS", parameterNotFoundAction: "Deny" },
    [limits("param", { size: "1" })],
  ),
  withParams(
    "parameters by their labels",
    [{ expression: "object.data.size == params.data.size", messageExpression: "'must be ' + params.data.size" }],
    { selector: { matchLabels: { limits: "yes" } }, parameterNotFoundAction: "Deny" },
    [
      limits("param-a", { size: "3" }, { limits: "yes" }),
      limits("param-b", { size: "3" }, { limits: "yes" }),
      limits("param-c", { size: "7" }, { limits: "no" }),
    ],
  ),
  withParams(
    "no parameters with such labels",
    [no],
    { selector: { matchLabels: { limits: "none" } }, parameterNotFoundAction: "Deny" },
    [],
  ),
  {
    title: "parameters without a reference",
    objects: [policy({ validations: [{ expression: "params != null", message: "no params" }], ...params }), binding()],
    steps: [sample],
  },
  {
    title: "a reference without parameters",
    objects: [
      policy({ validations: [{ expression: "object.data.size == '4'" }] }),
      binding({ paramRef: { name: "x", parameterNotFoundAction: "Deny" } }),
    ],
    steps: [sample],
  },
  {
    title: "parameters of a kind that is not there",
    objects: [
      policy({ validations: [no], paramKind: { apiVersion: "nothing.example.com/v1", kind: "Nothing" } }),
      binding({ paramRef: { name: "x", parameterNotFoundAction: "Deny" } }),
    ],
    steps: [sample],
  },
  {
    title: "parameters of a kind that is not there, ignored",
    objects: [
      policy({ failurePolicy: "Ignore", validations: [no], paramKind: { apiVersion: "nothing.example.com/v1", kind: "Nothing" } }),
      binding({ paramRef: { name: "x", parameterNotFoundAction: "Deny" } }),
    ],
    steps: [sample],
  },
  refusedPolicy("a policy that does not compile", { validations: [{ expression: "object." }] }),
  refusedPolicy("a policy of another type", { validations: [{ expression: "1 + 1" }] }),
  refusedPolicy("a message of another type", { validations: [{ expression: "true", messageExpression: "1" }] }),
  refusedPolicy("a message that asks who may", {
    validations: [{ expression: "true", messageExpression: "authorizer.path('/').check('get').reason()" }],
  }),
  refusedPolicy("variables that are not declared", { validations: [{ expression: "variables.x" }] }),
  refusedPolicy("a variable that is not among them", {
    variables: [{ name: "y", expression: "1" }],
    validations: [{ expression: "variables.x == 1" }],
  }),
  refusedPolicy("a variable by no name", { variables: [{ name: "not-a-name", expression: "1" }], validations: [{ expression: "true" }] }),
  refusedPolicy("a variable of a type", {
    variables: [{ name: "x", expression: "'text'" }],
    validations: [{ expression: "variables.x > 1" }],
  }),
  refusedPolicy("a variable that does not compile", {
    variables: [{ name: "x", expression: "foo" }],
    validations: [{ expression: "variables.x > 1" }],
  }),
  refusedPolicy("parameters without their kind", { validations: [{ expression: "params.x == 1" }] }),
  refusedPolicy("a kind of parameters that is none", {
    paramKind: { apiVersion: "a/b/c", kind: "Not A Kind" },
    validations: [{ expression: "true" }],
  }),
  refusedPolicy("nothing to validate", { validations: [] }),
  refusedPolicy("a message of spaces", { validations: [{ expression: "true", message: "  " }] }),
  refusedPolicy("a message of lines", { validations: [{ expression: "true", message: "a\nb" }] }),
  refusedPolicy("a reason that is none", { validations: [{ expression: "true", reason: "Because" }] }),
  refusedPolicy("an annotation of another type", { auditAnnotations: [{ key: "a", valueExpression: "1" }] }),
  refusedPolicy("an annotation by no name", { auditAnnotations: [{ key: "not a key", valueExpression: "''" }] }),
  refusedPolicy("two annotations of one key", {
    auditAnnotations: [
      { key: "a", valueExpression: "''" },
      { key: "a", valueExpression: "null" },
    ],
  }),
  refusedPolicy("conditions that do not compile", {
    matchConditions: [
      { name: "a", expression: "variables.x" },
      { name: "a", expression: "true" },
    ],
    validations: [{ expression: "true" }],
  }),
];

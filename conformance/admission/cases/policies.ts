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
  type ObjectAt,
  rule,
} from "../case.ts";

const POLICIES = `${ADMISSION}/validatingadmissionpolicies`;
const BINDINGS = `${ADMISSION}/validatingadmissionpolicybindings`;
const inNamespace = { matchLabels: { "kubernetes.io/metadata.name": "NS" } };
const configMaps = [rule(["CREATE", "UPDATE"], ["configmaps"])];

export const policy = (spec: { readonly matchConstraints?: object; readonly [field: string]: unknown }, name = "NS"): ObjectAt => [
  POLICIES,
  buildAdmissionObject("ValidatingAdmissionPolicy", name, {
    spec: { ...spec, matchConstraints: { resourceRules: configMaps, namespaceSelector: inNamespace, ...spec.matchConstraints } },
  }),
];
export const binding = (spec: object = {}, name = "NS", policyName = "NS"): ObjectAt => [
  BINDINGS,
  buildAdmissionObject("ValidatingAdmissionPolicyBinding", name, {
    spec: { policyName, validationActions: ["Deny"], ...spec },
  }),
];

type Validation = { readonly expression: string; readonly [field: string]: unknown };
const sample = create("a", { data: { size: "3", color: "red" }, metadata: { labels: { a: "b" } } });
/** One policy with one binding. */
const policyCase = (title: string, validations: readonly Validation[], more: object = {}, ref: object = {}, steps = [sample]): Case => ({
  title,
  objects: [policy({ validations, ...more }), binding(ref)],
  steps,
});
const refusedPolicyCase = (title: string, spec: object): Case => ({
  title,
  steps: [
    [
      "POST",
      `${POLICIES}?dryRun=All`,
      buildAdmissionObject("ValidatingAdmissionPolicy", "NS", {
        spec: { matchConstraints: { resourceRules: configMaps }, ...spec },
      }),
    ],
  ],
});
const failingValidation = { expression: "false" };

const paramConfigMap = (name: string, data: object, labels: object = {}): ObjectAt => [CM, configMap(name, { data, metadata: { labels } })];
const params = { paramKind: { apiVersion: "v1", kind: "ConfigMap" } };
/** Excludes the parameter objects themselves. */
const excludeParams = { matchConditions: [{ name: "no-params", expression: "!object.metadata.name.startsWith('param')" }] };
const paramCase = (
  title: string,
  validations: readonly Validation[],
  paramRef: object,
  objects: readonly ObjectAt[],
  more: object = {},
): Case => ({
  title,
  objects: [...objects, policy({ validations, ...params, ...excludeParams, ...more }), binding({ paramRef })],
  steps: [sample],
});

export const policies: readonly Case[] = [
  policyCase("a policy that holds", [{ expression: "object.data.size == '3'" }]),
  policyCase("a policy that does not hold", [{ expression: "object.data.size == '4'" }]),
  policyCase("a message", [{ ...failingValidation, message: "never mind" }]),
  policyCase("a message that is made", [{ ...failingValidation, messageExpression: "'size is ' + object.data.size" }]),
  policyCase("a message that is made counts more", [
    { ...failingValidation, message: "plain", messageExpression: "'made of ' + object.data.color" },
  ]),
  policyCase("a message that cannot be made", [
    { ...failingValidation, message: "plain", messageExpression: "object.data.other" + " + ''" },
  ]),
  policyCase("a message with several lines", [{ ...failingValidation, message: "plain", messageExpression: "'a\\nb'" }]),
  policyCase("a message that is empty", [{ ...failingValidation, message: "plain", messageExpression: "' '" }]),
  policyCase("a reason: Forbidden", [{ ...failingValidation, reason: "Forbidden" }]),
  policyCase("a reason: Invalid", [{ ...failingValidation, reason: "Invalid" }]),
  policyCase("a reason: RequestEntityTooLarge", [{ ...failingValidation, reason: "RequestEntityTooLarge" }]),
  policyCase("the message is that of the first failing validation", [
    { expression: "true" },
    { ...failingValidation, message: "second" },
    { ...failingValidation, message: "third" },
  ]),
  policyCase("an error", [{ expression: "object.data.other == 'x'" }]),
  policyCase("an error in a policy that is ignored", [{ expression: "object.data.other == 'x'" }], { failurePolicy: "Ignore" }),
  policyCase(
    "an error and a denial, errors ignored",
    [{ expression: "object.data.other == 'x'" }, { ...failingValidation, message: "denied" }],
    {
      failurePolicy: "Ignore",
    },
  ),
  policyCase("a warning", [{ ...failingValidation, message: "careful" }], {}, { validationActions: ["Warn"] }),
  policyCase("a warning of an error", [{ expression: "object.data.other == 'x'" }], {}, { validationActions: ["Warn"] }),
  policyCase("audit only", [failingValidation], {}, { validationActions: ["Audit"] }),
  policyCase("denied and audited", [failingValidation], {}, { validationActions: ["Deny", "Audit"] }),
  policyCase("warned and audited", [failingValidation], {}, { validationActions: ["Warn", "Audit"] }),
  { title: "a policy without a binding", objects: [policy({ validations: [failingValidation] })], steps: [sample] },
  { title: "a binding without a policy", objects: [binding()], steps: [sample] },
  {
    title: "two bindings of one policy",
    objects: [
      policy({ validations: [failingValidation] }),
      binding({ validationActions: ["Warn"] }, "NS-a"),
      binding({ validationActions: ["Audit"] }, "NS-b"),
    ],
    steps: [sample],
  },
  policyCase("variables", [{ expression: "variables.size > 2 && variables.double == 6" }], {
    variables: [
      { name: "size", expression: "int(object.data.size)" },
      { name: "double", expression: "variables.size * 2" },
    ],
  }),
  policyCase("variables in messages", [{ ...failingValidation, messageExpression: "'got ' + string(variables.size)" }], {
    variables: [{ name: "size", expression: "int(object.data.size)" }],
  }),
  policyCase("a variable that fails", [{ expression: "variables.other == 'x'" }], {
    variables: [{ name: "other", expression: "object.data.other" }],
  }),
  policyCase("a variable that fails and is not needed", [{ expression: "true || variables.other == 'x'" }], {
    variables: [{ name: "other", expression: "object.data.other" }],
  }),
  policyCase("a variable that is a list", [{ expression: "variables.names.all(n, n.size() > 3)" }], {
    variables: [{ name: "names", expression: "object.data.map(k, k)" }],
  }),
  policyCase("conditions that are met", [failingValidation], { matchConditions: [{ name: "c", expression: "object.data.size == '3'" }] }),
  policyCase("conditions that are not met", [failingValidation], {
    matchConditions: [{ name: "c", expression: "object.data.size == '4'" }],
  }),
  policyCase("conditions that fail", [failingValidation], { matchConditions: [{ name: "c", expression: "object.data.other == '4'" }] }),
  policyCase("conditions that fail and are ignored", [failingValidation], {
    failurePolicy: "Ignore",
    matchConditions: [{ name: "c", expression: "object.data.other == '4'" }],
  }),
  policyCase("the request in a policy", [
    { expression: "request.operation != 'CREATE'", messageExpression: "request.resource.resource + ' ' + request.userInfo.username" },
  ]),
  policyCase("the namespace in a policy", [
    {
      expression: "namespaceObject.metadata.name != request.namespace",
      messageExpression: "namespaceObject.metadata.labels['kubernetes.io/metadata.name']",
    },
  ]),
  policyCase("the phase of the namespace", [
    { expression: "namespaceObject.status.phase == 'Gone'", messageExpression: "namespaceObject.status.phase" },
  ]),
  policyCase("the authorizer in a policy", [{ expression: "!authorizer.group('').resource('secrets').check('get').allowed()" }]),
  policyCase("the authorizer for the request's resource in a policy", [
    { expression: "authorizer.serviceAccount('default', 'x').group('').resource('pods').namespace('y').check('get').allowed()" },
  ]),
  policyCase("too many authorization checks", [
    {
      expression:
        "authorizer.path('/a').check('get').allowed() && authorizer.path('/b').check('get').allowed() && authorizer.path('/c').check('get').allowed()",
    },
  ]),
  policyCase(
    "the old object",
    [{ expression: "oldObject == null || object.data.size == oldObject.data.size", message: "size is fixed" }],
    {},
    {},
    [sample, ["PATCH", `${CM}/a`, { data: { color: "blue" } }, MERGE], ["PATCH", `${CM}/a`, { data: { size: "5" } }, MERGE]] as never,
  ),
  policyCase(
    "deletions",
    [{ expression: "oldObject.data.color != 'red'", message: "red stays" }],
    { matchConstraints: { resourceRules: [rule(["DELETE"], ["configmaps"])] } },
    {},
    [sample, ["DELETE", `${CM}/a`]] as never,
  ),
  policyCase("a policy for other operations", [failingValidation], {
    matchConstraints: { resourceRules: [rule(["DELETE"], ["configmaps"])] },
  }),
  policyCase(
    "a policy for names",
    [failingValidation],
    { matchConstraints: { resourceRules: [{ ...rule(["CREATE"], ["configmaps"]), resourceNames: ["a"] }] } },
    {},
    [sample, create("b")],
  ),
  policyCase(
    "a policy with exceptions",
    [failingValidation],
    {
      matchConstraints: {
        resourceRules: [rule(["CREATE"], ["configmaps"])],
        excludeResourceRules: [{ ...rule(["CREATE"], ["configmaps"]), resourceNames: ["b"] }],
      },
    },
    {},
    [sample, create("b")],
  ),
  policyCase(
    "a policy that selects objects",
    [failingValidation],
    { matchConstraints: { objectSelector: { matchLabels: { a: "b" } } } },
    {},
    [sample, create("b")],
  ),
  policyCase(
    "a binding that selects objects",
    [failingValidation],
    {},
    { matchResources: { objectSelector: { matchLabels: { a: "b" } } } },
    [sample, create("b")],
  ),
  policyCase(
    "a binding for another namespace",
    [failingValidation],
    {},
    { matchResources: { namespaceSelector: { matchLabels: { tier: "gold" } } } },
  ),
  policyCase("a binding with rules", [failingValidation], {}, { matchResources: { resourceRules: [rule(["UPDATE"], ["configmaps"])] } }, [
    sample,
    ["PATCH", `${CM}/a`, { data: { x: "y" } }, MERGE],
  ] as never),
  policyCase(
    "a scale in a policy",
    [{ expression: "object.spec.replicas <= 2", messageExpression: "'at most 2, not ' + string(object.spec.replicas)" }],
    { matchConstraints: { resourceRules: [rule(["UPDATE"], ["deployments/scale"], ["apps"])] } },
    {},
    [
      ["POST", DEPLOYMENTS, deployment("a")],
      ["PATCH", `${DEPLOYMENTS}/a/scale`, { spec: { replicas: 5 } }, MERGE],
    ] as never,
  ),
  policyCase(
    "lists of a deployment",
    [{ expression: "object.spec.template.spec.containers.all(c, c.image.contains(':'))", message: "images have tags" }],
    { matchConstraints: { resourceRules: [rule(["CREATE"], ["deployments"], ["apps"])] } },
    {},
    [["POST", DEPLOYMENTS, deployment("a")]] as never,
  ),
  policyCase(
    "numbers of a deployment",
    [{ expression: "object.spec.replicas < 1 && object.spec.progressDeadlineSeconds == 600" }],
    { matchConstraints: { resourceRules: [rule(["CREATE"], ["deployments"], ["apps"])] } },
    {},
    [["POST", DEPLOYMENTS, deployment("a")]] as never,
  ),
  policyCase("an annotation for the audit", [{ expression: "true" }], {
    auditAnnotations: [{ key: "size", valueExpression: "'size ' + object.data.size" }],
  }),
  policyCase("an annotation for the audit that fails", [{ expression: "true" }], {
    auditAnnotations: [{ key: "size", valueExpression: "'size ' + object.data.other" }],
  }),
  policyCase("an annotation for the audit that fails, ignored", [{ expression: "true" }], {
    failurePolicy: "Ignore",
    auditAnnotations: [{ key: "size", valueExpression: "'size ' + object.data.other" }],
  }),
  policyCase("a generated name in a policy", [failingValidation], {}, {}, [
    ["POST", CM, { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "gen-" } }],
  ] as never),
  paramCase(
    "a parameter by its name",
    [{ expression: "object.data.size == params.data.size", messageExpression: "'must be ' + params.data.size" }],
    { name: "param", parameterNotFoundAction: "Deny" },
    [paramConfigMap("param", { size: "9" })],
  ),
  paramCase(
    "a missing parameter, parameterNotFoundAction Deny",
    [failingValidation],
    { name: "param", parameterNotFoundAction: "Deny" },
    [],
  ),
  paramCase(
    "a missing parameter, parameterNotFoundAction Allow",
    [failingValidation],
    { name: "param", parameterNotFoundAction: "Allow" },
    [],
  ),
  paramCase(
    "a parameter of another namespace",
    [{ expression: "params.data.size == '1'" }],
    { name: "param", namespace: "NS", parameterNotFoundAction: "Deny" },
    [paramConfigMap("param", { size: "1" })],
  ),
  paramCase(
    "parameters by their labels",
    [{ expression: "object.data.size == params.data.size", messageExpression: "'must be ' + params.data.size" }],
    { selector: { matchLabels: { limits: "yes" } }, parameterNotFoundAction: "Deny" },
    [
      paramConfigMap("param-a", { size: "3" }, { limits: "yes" }),
      paramConfigMap("param-b", { size: "3" }, { limits: "yes" }),
      paramConfigMap("param-c", { size: "7" }, { limits: "no" }),
    ],
  ),
  paramCase(
    "no parameters with such labels",
    [failingValidation],
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
    title: "parameters of an unknown kind",
    objects: [
      policy({ validations: [failingValidation], paramKind: { apiVersion: "nothing.example.com/v1", kind: "Nothing" } }),
      binding({ paramRef: { name: "x", parameterNotFoundAction: "Deny" } }),
    ],
    steps: [sample],
  },
  {
    title: "parameters of an unknown kind, failurePolicy Ignore",
    objects: [
      policy({
        failurePolicy: "Ignore",
        validations: [failingValidation],
        paramKind: { apiVersion: "nothing.example.com/v1", kind: "Nothing" },
      }),
      binding({ paramRef: { name: "x", parameterNotFoundAction: "Deny" } }),
    ],
    steps: [sample],
  },
  refusedPolicyCase("a policy that does not compile", { validations: [{ expression: "object." }] }),
  refusedPolicyCase("a policy of another type", { validations: [{ expression: "1 + 1" }] }),
  refusedPolicyCase("a message of another type", { validations: [{ expression: "true", messageExpression: "1" }] }),
  refusedPolicyCase("a message that uses the authorizer", {
    validations: [{ expression: "true", messageExpression: "authorizer.path('/').check('get').reason()" }],
  }),
  refusedPolicyCase("variables that are not declared", { validations: [{ expression: "variables.x" }] }),
  refusedPolicyCase("an undeclared variable", {
    variables: [{ name: "y", expression: "1" }],
    validations: [{ expression: "variables.x == 1" }],
  }),
  refusedPolicyCase("a variable by no name", {
    variables: [{ name: "not-a-name", expression: "1" }],
    validations: [{ expression: "true" }],
  }),
  refusedPolicyCase("a variable of a type", {
    variables: [{ name: "x", expression: "'text'" }],
    validations: [{ expression: "variables.x > 1" }],
  }),
  refusedPolicyCase("a variable that does not compile", {
    variables: [{ name: "x", expression: "foo" }],
    validations: [{ expression: "variables.x > 1" }],
  }),
  refusedPolicyCase("parameters without their kind", { validations: [{ expression: "params.x == 1" }] }),
  refusedPolicyCase("an invalid kind of parameters", {
    paramKind: { apiVersion: "a/b/c", kind: "Not A Kind" },
    validations: [{ expression: "true" }],
  }),
  refusedPolicyCase("nothing to validate", { validations: [] }),
  refusedPolicyCase("a message of spaces", { validations: [{ expression: "true", message: "  " }] }),
  refusedPolicyCase("a message of lines", { validations: [{ expression: "true", message: "a\nb" }] }),
  refusedPolicyCase("an unknown reason", { validations: [{ expression: "true", reason: "Because" }] }),
  refusedPolicyCase("an annotation of another type", { auditAnnotations: [{ key: "a", valueExpression: "1" }] }),
  refusedPolicyCase("an annotation by no name", { auditAnnotations: [{ key: "not a key", valueExpression: "''" }] }),
  refusedPolicyCase("two annotations of one key", {
    auditAnnotations: [
      { key: "a", valueExpression: "''" },
      { key: "a", valueExpression: "null" },
    ],
  }),
  refusedPolicyCase("conditions that do not compile", {
    matchConditions: [
      { name: "a", expression: "variables.x" },
      { name: "a", expression: "true" },
    ],
    validations: [{ expression: "true" }],
  }),
];

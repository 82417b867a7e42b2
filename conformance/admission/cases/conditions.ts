import { ADMISSION, allow, buildAdmissionObject, type Case, CM, create, deny, mutating, onConfigMaps, validating } from "../case.ts";

const denial = deny({ message: "called" });
const withConditions = (...expressions: readonly string[]) => ({
  ...onConfigMaps("CREATE", "DELETE"),
  matchConditions: expressions.map((expression, i) => ({ name: `c${i}`, expression })),
});
const conditionCase = (title: string, ...expressions: readonly string[]): Case => ({
  title,
  hooks: [validating(denial, withConditions(...expressions))],
  steps: [create("a", { data: { size: "3" }, metadata: { labels: { a: "b" } } })],
});
const ignoredFailureCase = (title: string, ...expressions: readonly string[]): Case => ({
  title,
  hooks: [validating(denial, { ...withConditions(...expressions), failurePolicy: "Ignore" })],
  steps: [create()],
});
const webhookConfiguration = (expression: string, more: object = {}) =>
  buildAdmissionObject("ValidatingWebhookConfiguration", "NS", {
    webhooks: [
      {
        name: "a.example.com",
        clientConfig: { url: "https://127.0.0.1:1/x" },
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        matchConditions: [{ name: "c", expression }],
        ...more,
      },
    ],
  });
const refusedCase = (title: string, expression: string): Case => ({
  title,
  steps: [["POST", `${ADMISSION}/validatingwebhookconfigurations?dryRun=All`, webhookConfiguration(expression)]],
});

export const conditions: readonly Case[] = [
  conditionCase("a condition that is met", "object.data.size == '3'"),
  conditionCase("a condition that is not met", "object.data.size == '4'"),
  conditionCase("all conditions must be met", "object.data.size == '3'", "object.metadata.labels.a == 'c'"),
  conditionCase("a missing field is an error", "object.data.other == 'x'"),
  conditionCase("a false condition takes precedence over an error", "object.data.other == 'x'", "false"),
  conditionCase("two errors", "object.data.other == 'x'", "object.data.another == 'x'"),
  conditionCase("a division by zero", "int(object.data.size) / 0 == 1"),
  ignoredFailureCase("an error that is ignored", "object.data.other == 'x'"),
  conditionCase("has", "has(object.data.size) && !has(object.data.other)"),
  conditionCase("the old object is null when there is none", "oldObject == null"),
  conditionCase(
    "the request",
    "request.operation == 'CREATE' && request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps'",
  ),
  conditionCase("name and namespace of the request", "request.name == 'a' && request.namespace.startsWith('case-')"),
  conditionCase(
    "the user of the request",
    "request.userInfo.username == 'kubernetes-admin' && 'system:masters' in request.userInfo.groups",
  ),
  conditionCase("whether it is a dry run", "!request.dryRun"),
  conditionCase("options of the request", "request.options.kind == 'CreateOptions'"),
  conditionCase("no subresource", "request.subResource == ''"),
  conditionCase("the authorizer for a resource", "authorizer.group('').resource('pods').namespace('default').check('create').allowed()"),
  conditionCase("the authorizer for the request's resource", "authorizer.requestResource.check('breach').allowed()"),
  conditionCase("the authorizer for a path", "authorizer.path('/healthz').check('get').allowed()"),
  conditionCase(
    "the authorizer for a service account",
    "authorizer.serviceAccount('default', 'default').group('').resource('pods').check('list').allowed()",
  ),
  conditionCase(
    "the reason of an authorization decision",
    "authorizer.serviceAccount('default', 'default').path('/x').check('get').reason() == ''",
  ),
  conditionCase("namespaceObject is not available", "namespaceObject == null"),
  conditionCase("macros", "object.metadata.labels.exists(k, k == 'a') && [1, 2].all(x, x > 0)"),
  conditionCase("strings and patterns", "object.metadata.name.matches('^a+$') && 'x,y'.split(',').size() == 2"),
  conditionCase("optional fields", "object.?data.size.orValue('') == '3' && object.?spec.orValue({}) == {}"),
  conditionCase(
    "an expression that costs too much",
    "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, a+b+c+d+e+f >= 0))))))",
  ),
  {
    title: "conditions on a deleted object",
    hooks: [validating(denial, withConditions("request.operation == 'DELETE' && object == null && oldObject.metadata.name == 'a'"))],
    steps: [create(), ["DELETE", `${CM}/a`]],
  },
  {
    title: "conditions of a mutating webhook see earlier mutations",
    hooks: [
      mutating(
        allow({ patchType: "JSONPatch", patch: Buffer.from('[{"op":"add","path":"/data","value":{"made":"yes"}}]').toString("base64") }),
        onConfigMaps(),
        "one",
      ),
      mutating(denial, withConditions("has(object.data) && object.data.made == 'yes'"), "two"),
    ],
    steps: [create()],
  },
  refusedCase("an expression that is none", "object."),
  refusedCase("an expression of another type", "object.metadata.name"),
  refusedCase("a condition that is a number", "1"),
  refusedCase("a variable that is not there", "foo == 1"),
  refusedCase("parameters that a webhook has not", "params.x == 1"),
  refusedCase("a field that requests do not have", "request.foo == 1"),
  refusedCase("a function that is not there", "object.foo()"),
  refusedCase("an empty expression", " "),
  refusedCase("an invalid pattern", "object.metadata.name.matches('(')"),
];

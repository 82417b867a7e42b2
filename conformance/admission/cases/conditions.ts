import { ADMISSION, allow, type Case, CM, configuring, create, deny, mutating, onConfigMaps, validating } from "../case.ts";

const no = deny({ message: "asked" });
const when = (...expressions: readonly string[]) => ({
  ...onConfigMaps("CREATE", "DELETE"),
  matchConditions: expressions.map((expression, i) => ({ name: `c${i}`, expression })),
});
const condition = (title: string, ...expressions: readonly string[]): Case => ({
  title,
  hooks: [validating(no, when(...expressions))],
  steps: [create("a", { data: { size: "3" }, metadata: { labels: { a: "b" } } })],
});
const ignoring = (title: string, ...expressions: readonly string[]): Case => ({
  title,
  hooks: [validating(no, { ...when(...expressions), failurePolicy: "Ignore" })],
  steps: [create()],
});
const configuration = (expression: string, more: object = {}) =>
  configuring("ValidatingWebhookConfiguration", "NS", {
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
const refused = (title: string, expression: string): Case => ({
  title,
  steps: [["POST", `${ADMISSION}/validatingwebhookconfigurations?dryRun=All`, configuration(expression)]],
});

export const conditions: readonly Case[] = [
  condition("a condition that is met", "object.data.size == '3'"),
  condition("a condition that is not met", "object.data.size == '4'"),
  condition("all conditions must be met", "object.data.size == '3'", "object.metadata.labels.a == 'c'"),
  condition("what is not there is an error", "object.data.other == 'x'"),
  condition("a condition that says no counts more than an error", "object.data.other == 'x'", "false"),
  condition("two errors", "object.data.other == 'x'", "object.data.another == 'x'"),
  condition("an error of another sort", "int(object.data.size) / 0 == 1"),
  ignoring("an error that is ignored", "object.data.other == 'x'"),
  condition("has", "has(object.data.size) && !has(object.data.other)"),
  condition("the old object is null when there is none", "oldObject == null"),
  condition(
    "the request",
    "request.operation == 'CREATE' && request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps'",
  ),
  condition("name and namespace of the request", "request.name == 'a' && request.namespace.startsWith('case-')"),
  condition("who asks", "request.userInfo.username == 'kubernetes-admin' && 'system:masters' in request.userInfo.groups"),
  condition("whether it is a dry run", "!request.dryRun"),
  condition("options of the request", "request.options.kind == 'CreateOptions'"),
  condition("no part, no name of it", "request.subResource == ''"),
  condition("who may do what", "authorizer.group('').resource('pods').namespace('default').check('create').allowed()"),
  condition("who may do what with this very thing", "authorizer.requestResource.check('breach').allowed()"),
  condition("paths", "authorizer.path('/healthz').check('get').allowed()"),
  condition("service accounts", "authorizer.serviceAccount('default', 'default').group('').resource('pods').check('list').allowed()"),
  condition("reasons", "authorizer.serviceAccount('default', 'default').path('/x').check('get').reason() == ''"),
  condition("namespaces are not to be seen", "namespaceObject == null"),
  condition("macros", "object.metadata.labels.exists(k, k == 'a') && [1, 2].all(x, x > 0)"),
  condition("strings and patterns", "object.metadata.name.matches('^a+$') && 'x,y'.split(',').size() == 2"),
  condition("optional parts", "object.?data.size.orValue('') == '3' && object.?spec.orValue({}) == {}"),
  condition(
    "an expression that costs too much",
    "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, a+b+c+d+e+f >= 0))))))",
  ),
  {
    title: "conditions on what goes",
    hooks: [validating(no, when("request.operation == 'DELETE' && object == null && oldObject.metadata.name == 'a'"))],
    steps: [create(), ["DELETE", `${CM}/a`]],
  },
  {
    title: "conditions of a mutating webhook see what earlier ones made",
    hooks: [
      mutating(
        allow({ patchType: "JSONPatch", patch: Buffer.from('[{"op":"add","path":"/data","value":{"made":"yes"}}]').toString("base64") }),
        onConfigMaps(),
        "one",
      ),
      mutating(no, when("has(object.data) && object.data.made == 'yes'"), "two"),
    ],
    steps: [create()],
  },
  refused("an expression that is none", "object."),
  refused("an expression of another type", "object.metadata.name"),
  refused("a condition that is a number", "1"),
  refused("a variable that is not there", "foo == 1"),
  refused("parameters that a webhook has not", "params.x == 1"),
  refused("a field that requests do not have", "request.foo == 1"),
  refused("a function that is not there", "object.foo()"),
  refused("an empty expression", " "),
  refused("a pattern that is none", "object.metadata.name.matches('(')"),
];

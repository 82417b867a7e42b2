import { CRDS, type HostileRequest, nested, postRequest } from "./hostile-request.ts";

/** Builds a CustomResourceDefinition with this schema of its spec. */
export function buildDefinition(plural: string, spec: object): object {
  const kind = `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.hostile.example.com` },
    spec: {
      group: "hostile.example.com",
      scope: "Namespaced",
      names: { plural, kind },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties: { spec } } } }],
    },
  };
}

/** The CRD that exists before the hostile requests, with patterns and rules that backtracking engines are slow at. */
export const widgets = buildDefinition("widgets", {
  type: "object",
  properties: {
    size: { type: "integer" },
    trap: { type: "string", maxLength: 100_000, pattern: "^(([a-z])+.)+[A-Z]([a-z])+$" },
    words: {
      type: "array",
      maxItems: 100,
      items: { type: "string", maxLength: 100 },
      "x-kubernetes-validations": [{ rule: "self.all(word, word.matches('^(a+)+$'))" }],
    },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
});

const field = (name: string, schema: object) => ({ type: "object", properties: { [name]: schema } });
const crd = (name: string, spec: object) =>
  postRequest(`definition: ${name}`, buildDefinition("traps", spec), undefined, `${CRDS}?dryRun=All`);
const rule = (text: string, more: object = {}) => field("a", { type: "string", ...more, "x-kubernetes-validations": [{ rule: text }] });
/** Nested lists without limits. */
const lists = (depth: number): object =>
  depth === 0
    ? { type: "string", "x-kubernetes-validations": [{ rule: "self.contains('a')" }] }
    : { type: "array", items: lists(depth - 1) };

export const hostileDefinitions: readonly HostileRequest[] = [
  crd("an unreadable pattern", field("a", { type: "string", pattern: "(" })),
  crd("a pattern that looks ahead", field("a", { type: "string", pattern: "(?=a)b" })),
  crd("a pattern that looks back", field("a", { type: "string", pattern: "(a)\\1" })),
  crd("a pattern of many repeats", field("a", { type: "string", pattern: "(((a{1000}){1000}){1000})" })),
  crd("a rule that does not parse", rule("self ==")),
  crd("a rule of another type", rule("self + 1")),
  crd("a rule that is not a truth", rule("'a'")),
  crd("a rule of unknown names", rule("nope.startsWith('a')")),
  crd("a long rule", rule(`${"true && ".repeat(5000)}true`)),
  crd("a deep rule", rule(`${"(".repeat(500)}true${")".repeat(500)}`)),
  crd("a rule that costs too much", lists(4)),
  crd(
    "a rule that repeats itself",
    rule(
      "[1,2,3,4,5,6,7,8,9].all(a,[1,2,3,4,5,6,7,8,9].all(b,[1,2,3,4,5,6,7,8,9].all(c,[1,2,3,4,5,6,7,8,9].all(d,[1,2,3,4,5,6,7,8,9].all(e,[1,2,3,4,5,6,7,8,9].all(f,[1,2,3,4,5,6,7,8,9].all(g,self.matches('a+')))))))",
    ),
  ),
  crd("an unknown pattern in a rule", rule("self.matches('(')")),
  crd("a schema of no type", field("a", {})),
  crd("a schema of a strange type", field("a", { type: "__proto__" })),
  crd(
    "a property called __proto__",
    JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}'),
  ),
  crd(
    "a default of __proto__",
    field("a", { type: "object", "x-kubernetes-preserve-unknown-fields": true, default: JSON.parse('{"__proto__":{"a":1}}') }),
  ),
  crd("a reference", field("a", { $ref: "#/definitions/a" })),
  crd("a deep schema", JSON.parse(nested(300, '{"type":"object","properties":{"a":', "}}").replace("1", '{"type":"string"}'))),
  crd("huge limits", field("a", { type: "string", maxLength: 1e300 })),
  crd("negative limits", field("a", { type: "string", maxLength: -1 })),
  crd("columns of nonsense", { type: "object", "x-kubernetes-validations": "nope" }),
];

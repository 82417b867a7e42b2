import { APPLY, type ApiCase, type CaseContext, MERGE, requestCases, TABLE } from "../../case.ts";
import { waitUntil } from "../../wait.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const string = { type: "string" };
const integer = { type: "integer" };

/** Structural schemas: validation, pruning, CEL rules, printer columns. */
export function schemas({ namespace, runId }: CaseContext): readonly ApiCase[] {
  const group = `s.${runId}.example.com`;
  const things = `/apis/${group}/v1/namespaces/${namespace}/things`;
  const at = (name: string) => `${things}/${name}`;
  const createThing = (name: string, spec: unknown, more: object = {}) => ({
    apiVersion: `${group}/v1`,
    kind: "Thing",
    metadata: { name },
    spec,
    ...more,
  });
  const good = { size: 3 };
  const createRow = (title: string, name: string, spec: unknown) => [title, "POST", things, createThing(name, spec)] as const;
  /** The causes are sorted: the order of fields is not deterministic. */
  const severalErrorsCase = (title: string, spec: unknown): ApiCase => [
    title,
    async (target) => {
      const { status, body } = await target.send("POST", things, createThing("bad", spec));
      return [status, body.reason, body.details.causes.map((cause: any) => JSON.stringify(cause)).sort()];
    },
  ];
  const properties = {
    size: { type: "integer", minimum: 1, maximum: 10 },
    ratio: { type: "number", multipleOf: 0.5 },
    name: { type: "string", pattern: "^[a-z]+$", maxLength: 5, minLength: 2 },
    color: { type: "string", enum: ["red", "blue"] },
    day: { type: "string", format: "date" },
    port: { "x-kubernetes-int-or-string": true },
    maybe: { type: "string", nullable: true },
    words: { type: "array", items: string, "x-kubernetes-list-type": "set", maxItems: 3, minItems: 1 },
    parts: {
      type: "array",
      items: { type: "object", properties: { name: string, value: integer }, required: ["name"] },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    },
    labels: { type: "object", additionalProperties: string, maxProperties: 2 },
    any: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { known: { type: "object", properties: { a: integer } } },
    },
    pod: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    fixed: { type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "fixed is fixed" }] },
    low: integer,
    high: integer,
    deep: { type: "object", default: {}, properties: { level: { type: "integer", default: 7 } } },
  };
  const rules = [
    { rule: "!has(self.low) || !has(self.high) || self.low <= self.high", message: "low must not be above high" },
    { rule: "!has(self.low) || self.low != 13" },
    {
      rule: "!has(self.low) || self.low < 100",
      messageExpression: "'low is ' + (self.low > 110 ? 'far' : 'a bit') + ' too high'",
      reason: "FieldValueForbidden",
      fieldPath: ".low",
    },
    { rule: "!has(oldSelf.high) || self.high >= oldSelf.high", message: "high only grows" },
  ];
  const crd = {
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              required: ["spec"],
              properties: { spec: { type: "object", required: ["size"], properties, "x-kubernetes-validations": rules } },
            },
          },
          selectableFields: [{ jsonPath: ".spec.color" }, { jsonPath: ".spec.size" }],
          additionalPrinterColumns: [
            { name: "Size", type: "integer", jsonPath: ".spec.size", description: "How big." },
            { name: "Color", type: "string", jsonPath: ".spec.color", priority: 1 },
            { name: "Words", type: "string", jsonPath: ".spec.words" },
            { name: "First", type: "string", jsonPath: ".spec.words[0]" },
            { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
          ],
        },
      ],
    },
  };
  return [
    ...requestCases(["F3 a CRD with a schema", "POST", CRDS, crd]),
    ["F3 it is served", async (target) => (await waitUntil(target, things, () => true)).status],
    ...requestCases(
      createRow("F3 nothing required is there", "bad", {}),
      ["F3 no spec at all", "POST", things, { apiVersion: `${group}/v1`, kind: "Thing", metadata: { name: "bad" } }],
      createRow("F3 too small", "bad", { size: 0 }),
      createRow("F3 too large", "bad", { size: 11 }),
      createRow("F3 not of the type", "bad", { size: "three" }),
      createRow("F3 a fraction of an integer", "bad", { size: 1.5 }),
      createRow("F3 no multiple", "bad", { ...good, ratio: 0.7 }),
      createRow("F3 not of the pattern", "bad", { ...good, name: "A1" }),
      createRow("F3 not one of a few", "bad", { ...good, color: "green" }),
      createRow("F3 no day", "bad", { ...good, day: "tomorrow" }),
      createRow("F3 a list for an object", "bad", { ...good, labels: [] }),
      createRow("F3 a spec that is a word", "bad", "word"),
      createRow("F4 a number or a word: a number", "n1", { ...good, port: 80 }),
      createRow("F4 a number or a word: a word", "n2", { ...good, port: "http" }),
      createRow("F4 a number or a word: neither", "bad", { ...good, port: 1.5 }),
      createRow("F4 null where it may be", "n3", { ...good, maybe: null }),
      createRow("F4 null where it may not be", "n4", { ...good, color: null, low: null }),
      createRow("F4 a set with a value twice", "bad", { ...good, words: ["a", "b", "a"] }),
      createRow("F4 a map with a key twice", "bad", { ...good, parts: [{ name: "a" }, { name: "b" }, { name: "a" }] }),
      createRow("F4 an item without its key", "bad", { ...good, parts: [{ value: 1 }] }),
      createRow("F4 items with keys", "n5", { ...good, parts: [{ name: "a", value: 1 }, { name: "b" }] }),
      createRow("F2 what is unknown goes, but where it may stay", "n6", { ...good, foo: 1, any: { x: { y: 1 }, known: { a: 1, b: 2 } } }),
      createRow("F2 defaults, also deep", "n7", { ...good }),
      createRow("F2 defaults for what is partly there", "n8", { ...good, deep: {} }),
      createRow("F2 an object within", "n9", {
        ...good,
        pod: { apiVersion: "v1", kind: "Pod", metadata: { name: "x", foo: 1 }, spec: { any: 1 } },
      }),
      createRow("F3 an object within without a kind", "bad", { ...good, pod: { metadata: { name: "x" } } }),
      createRow("F5 a rule with a message", "bad", { ...good, low: 5, high: 3 }),
      createRow("F5 a rule without a message", "bad", { ...good, low: 13 }),
      createRow("F5 a rule with a message of its own", "bad", { ...good, low: 100 }),
      createRow("F5 two rules", "bad", { ...good, low: 113, high: 2 }),
      createRow("F5 rules that wait for types", "bad", { ...good, low: "x", high: 2 }),
      createRow("F5 what all rules allow", "r1", { ...good, low: 1, high: 5, fixed: "a" }),
      ["F5 what only grows shrinks", "PATCH", at("r1"), { spec: { high: 4 } }, MERGE],
      ["F5 what only grows grows", "PATCH", at("r1"), { spec: { high: 6 } }, MERGE],
      ["F5 what is fixed changes", "PATCH", at("r1"), { spec: { fixed: "b" } }, MERGE],
      ["F5 what is fixed goes and comes", "PATCH", at("r1"), { spec: { fixed: null } }, MERGE],
      ["F5 E3 a rule of what is applied", "PATCH", `${at("r2")}?fieldManager=m`, createThing("r2", { ...good, low: 13 }), APPLY],
      ["D7 by a field of the schema", "GET", `${things}?fieldSelector=spec.size%3D3&limit=2`],
      ["D7 by a field that few have", "GET", `${things}?fieldSelector=spec.color%3Dred`],
      ["D7 by a field that cannot be chosen", "GET", `${things}?fieldSelector=spec.low%3D1`],
    ),
    severalErrorsCase("F3 too long and too short", { ...good, name: "abcdefg", words: [] }),
    severalErrorsCase("F3 too many", { ...good, words: ["a", "b", "c", "d"], labels: { a: "a", b: "b", c: "c" } }),
    severalErrorsCase("F3 everything at once", { size: 0, name: "A", color: "green", words: ["a", "a"], labels: { a: 1 } }),
    ...["", "&includeObject=None", "&includeObject=Object"].map(
      (query): ApiCase => [
        `F6 W5 a table of things${query}`,
        async (target) => {
          const { body } = await target.send("GET", `${things}?limit=3${query}`, undefined, TABLE);
          const columns = body.columnDefinitions.map(({ description: _, ...column }: any) => column);
          return [columns, body.rows, body.metadata];
        },
      ],
    ),
    ["F6 W5 a table of one thing", async (target) => (await target.send("GET", at("n6"), undefined, TABLE)).body.rows],
    [
      "F2 F3 what was valid once may stay",
      async (target) => {
        const path = `${CRDS}/things.${group}`;
        const { body } = await target.send("GET", path);
        body.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size.maximum = 2;
        body.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.deep.properties.more = { type: "string", default: "new" };
        await target.send("PUT", path, body);
        // kube-apiserver serves a changed CRD after a short delay.
        await waitUntil(target, at("n7"), (live) => live.spec.deep.more === "new");
        const touched = await target.send("PATCH", at("n7"), { metadata: { labels: { a: "b" } } }, MERGE);
        const changed = await target.send("PATCH", at("n7"), { spec: { size: 9 } }, MERGE);
        const smaller = await target.send("PATCH", at("n7"), { spec: { size: 2 } }, MERGE);
        return [touched, changed, smaller, await target.send("POST", things, createThing("bad", { size: 3 }))];
      },
    ],
  ];
}

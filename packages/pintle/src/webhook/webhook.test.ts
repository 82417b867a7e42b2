import { describe, expect, test } from "vitest";
import * as z from "zod";
import { ValidatingWebhookConfiguration } from "../kinds/generated/admissionregistration/v1.ts";
import { Node, Pod } from "../kinds/generated/core/v1.ts";
import { foreign, type JsonObject } from "../kinds/index.ts";
import { defineResource } from "../resource/index.ts";
import { fromSchema, InvalidWebhook, type WebhookOptions, webhook, webhookConfigurations, webhookFacts, webhookNames } from "./index.ts";

const Thing = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Thing",
  spec: z.object({ n: z.int().default(0) }),
  status: z.object({ m: z.int() }),
});
const validate = () => [];
const places = {
  names: webhookNames("op"),
  endpoint: { service: { namespace: "op-system", name: "op-webhook-service" } },
  namespace: "op-system",
};
const entries = (...webhooks: Parameters<typeof webhookFacts>[0]) =>
  webhookConfigurations(webhookFacts(webhooks, []).webhooks, places).flatMap((object) => object["webhooks"] as readonly JsonObject[]);

describe("what no API server would take is refused when it is defined", () => {
  test.each<[string, Partial<WebhookOptions<typeof Thing, any, any>>, RegExp]>([
    ["neither", { validate: undefined }, /default, validate: there is neither; write at least one of them/],
    ["a timeout of a minute", { timeoutSeconds: 60 }, /timeoutSeconds: 60 is not from 1 to 30/],
    ["a timeout of 1.5 s", { timeoutSeconds: 1.5 }, /timeoutSeconds: 1.5 is not/],
    ["no operation", { operations: [] }, /operations: none is given/],
    ["an unknown operation", { operations: ["PATCH"] }, /operations: "PATCH" is not known; write CREATE or UPDATE or DELETE or CONNECT/],
    ["an operation twice", { operations: ["CREATE", "CREATE"] }, /operations: one is there twice/],
    ["CONNECT to the object itself", { operations: ["CONNECT"] }, /operations: CONNECT is only about subresources; say which/],
    ["defaults for what is deleted", { default() {}, operations: ["DELETE"] }, /default: what is being deleted cannot be changed/],
    ["a subresource that is not there", { subresources: ["scale"] }, /subresources: Thing has no scale; it has: status/],
    ["only subresources, of which there are none", { onlySubresources: true }, /onlySubresources: there are none/],
    ["a condition without a name", { matchConditions: [{ name: "", expression: "true" }] }, /matchConditions\[0\].name: "" is no name/],
    [
      "a condition without an expression",
      { matchConditions: [{ name: "a", expression: " " }] },
      /matchConditions\[0\].expression: it is empty/,
    ],
    [
      "a condition twice",
      { matchConditions: [1, 2].map(() => ({ name: "a", expression: "true" })) },
      /matchConditions\[1\].name: a is there twice/,
    ],
    [
      "too many conditions",
      { matchConditions: Array.from({ length: 65 }, (_, i) => ({ name: `c${i}`, expression: "true" })) },
      /65 are too many/,
    ],
    [
      "In without values",
      { objectSelector: { matchExpressions: [{ key: "a", operator: "In" }] } },
      /objectSelector.matchExpressions\[0\].values: In needs some/,
    ],
    ["a label that is none", { namespaceSelector: { matchLabels: { "a b": "c" } } }, /namespaceSelector.matchLabels: "a b" is no label/],
    ["asking again about a verdict", { reinvocation: "IfNeeded" }, /reinvocation: only `default` is asked again/],
    ["a name with a dot", { name: "a.b" }, /name: "a.b" cannot be part of a DNS name/],
  ])("%s", (_, options, message) => {
    const make = () => webhook(Thing, { validate, ...options } as never);
    expect(make).toThrow(InvalidWebhook);
    expect(make).toThrow(message);
    expect(make).toThrow(/^webhook for Thing: /);
  });

  test("kinds that no webhook is ever asked about", () => {
    expect(() => webhook(ValidatingWebhookConfiguration, { validate })).toThrow(/no webhook is ever asked about admissionregistration/);
  });
});

describe("what the API server is told", () => {
  test("everything that was said, and the defaults of what was not", () => {
    const [said] = entries(
      webhook(Thing, {
        validate,
        operations: ["UPDATE", "DELETE"],
        subresources: ["status"],
        matchConditions: [{ name: "c", expression: "true" }],
        objectSelector: { matchLabels: { a: "b" } },
        failurePolicy: "Ignore",
        matchPolicy: "Exact",
        sideEffects: "NoneOnDryRun",
        timeoutSeconds: 2,
      }),
    );
    expect(said).toEqual({
      name: "validate.thing.v1.example.com",
      admissionReviewVersions: ["v1", "v1beta1"],
      clientConfig: { service: { name: "op-webhook-service", namespace: "op-system", path: "/validate-example-com-v1-thing", port: 443 } },
      failurePolicy: "Ignore",
      matchPolicy: "Exact",
      matchConditions: [{ name: "c", expression: "true" }],
      objectSelector: { matchLabels: { a: "b" } },
      rules: [
        {
          apiGroups: ["example.com"],
          apiVersions: ["v1"],
          operations: ["UPDATE", "DELETE"],
          resources: ["things", "things/status"],
          scope: "Namespaced",
        },
      ],
      sideEffects: "NoneOnDryRun",
      timeoutSeconds: 2,
    });
  });

  test("a webhook that also hears of deletes changes nothing that is deleted", () => {
    const both = entries(webhook(Thing, { default() {}, validate, operations: ["CREATE", "DELETE"] }));
    expect(both.map(({ rules }) => (rules as readonly JsonObject[])[0]!["operations"])).toEqual([["CREATE"], ["CREATE", "DELETE"]]);
  });

  test("subresources alone", () => {
    const [only] = entries(webhook(Pod, { validate, subresources: ["eviction"], onlySubresources: true, operations: ["CREATE"] }));
    expect((only!["rules"] as readonly JsonObject[])[0]).toMatchObject({ resources: ["pods/eviction"] });
  });

  const excluded = { key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["kube-node-lease", "kube-system", "op-system"] };
  test("a built-in kind is left alone where the cluster and the operator live, if failing would lock them", () => {
    const selector = (options: object = {}) => entries(webhook(Pod, { validate, ...options }))[0]!["namespaceSelector"];
    expect(selector()).toEqual({ matchExpressions: [excluded] });
    expect(selector({ namespaceSelector: { matchLabels: { a: "b" } } })).toEqual({ matchLabels: { a: "b" }, matchExpressions: [excluded] });
    expect(selector({ failurePolicy: "Ignore" })).toBeUndefined();
    expect(selector({ systemNamespaces: true })).toBeUndefined();
    expect(entries(webhook(Thing, { validate }))[0]).not.toHaveProperty("namespaceSelector");
    const Foreign = foreign({ group: "monitoring.coreos.com", version: "v1", kind: "Rule", plural: "rules", scope: "Namespaced" });
    expect(entries(webhook(Foreign, { validate }))[0]).not.toHaveProperty("namespaceSelector");
    expect((entries(webhook(Node, { validate }))[0]!["rules"] as readonly JsonObject[])[0]).toMatchObject({ scope: "Cluster" });
  });

  test("two webhooks of a kind are told apart by name", () => {
    const twice = () => entries(webhook(Thing, { validate }), webhook(Thing, { validate }));
    expect(twice).toThrow("two webhooks validate Thing: give one of them another `name`");
    expect(entries(webhook(Thing, { validate }), webhook(Thing, { validate, name: "quota" })).map(({ name }) => name)).toEqual([
      "validate.thing.v1.example.com",
      "quota.validate.thing.v1.example.com",
    ]);
  });
});

test("what could lock a cluster, and no namespace can be left out, is said before it is deployed", () => {
  const hintsFor = (options: object) => webhookFacts([webhook(Node, { validate, ...options })], []).hints;
  expect(hintsFor({})).toEqual([expect.stringContaining("Node has no namespace to leave out: while the operator is down")]);
  expect([...hintsFor({ failurePolicy: "Ignore" }), ...hintsFor({ systemNamespaces: true })]).toEqual([]);
});

describe("what needs no webhook", () => {
  test("a schema that a definition can say is said to be one", () => {
    const plain = z.object({ n: z.int().min(1) });
    const hintsFor = (schema: typeof plain) => webhookFacts([webhook(Thing, { validate: fromSchema(schema) })], []).hints;
    expect(hintsFor(plain)).toEqual([
      "validate.thing.v1.example.com: its schema has nothing that the CustomResourceDefinition of Thing cannot say: put it there, no webhook is needed",
    ]);
    expect(hintsFor(plain.refine(({ n }) => n % 2 === 0))).toEqual([]);
  });

  test("a schema that says more speaks by field", async () => {
    const schema = z
      .object({ ports: z.array(z.object({ name: z.string() })) })
      .refine(({ ports }) => ports.length !== 2, { path: ["ports"], message: "not two" });
    const check = (spec: unknown) => fromSchema(schema)({ operation: "CREATE", object: { spec } } as never);
    expect(await check({ ports: [] })).toEqual([]);
    expect(await check({ ports: [{ name: "a" }, { name: "b" }] })).toEqual([{ field: "spec.ports", message: "not two" }]);
    expect((await check({ ports: [{ name: 1 }] }))[0]!.field).toBe("spec.ports[0].name");
    expect(await fromSchema(schema)({ operation: "DELETE", object: undefined } as never)).toEqual([]);
  });
});

import { describe, expect, test } from "vitest";
import * as z from "zod";
import { ValidatingWebhookConfiguration } from "../../kinds/generated/admissionregistration/v1.ts";
import { Node, Pod } from "../../kinds/generated/core/v1.ts";
import { defineUntypedKind, type JsonObject } from "../../kinds/index.ts";
import { defineResource } from "../../resource/index.ts";
import {
  buildWebhookConfigurations,
  describeWebhooks,
  InvalidWebhook,
  validateWithSchema,
  type WebhookOptions,
  webhook,
  webhookNames,
} from "../index.ts";

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
const entries = (...webhooks: Parameters<typeof describeWebhooks>[0]) =>
  buildWebhookConfigurations(describeWebhooks(webhooks, []).webhooks, places).flatMap(
    (object) => object["webhooks"] as readonly JsonObject[],
  );

describe("webhook rejects", () => {
  test.each<[string, Partial<WebhookOptions<typeof Thing, any, any>>, RegExp]>([
    ["neither default nor validate", { validate: undefined }, /default, validate: both are missing; write at least one of them/],
    ["a timeout of a minute", { timeoutSeconds: 60 }, /timeoutSeconds: 60 is not from 1 to 30/],
    ["a timeout of 1.5 s", { timeoutSeconds: 1.5 }, /timeoutSeconds: 1.5 is not/],
    ["no operation", { operations: [] }, /operations: the list is empty/],
    [
      "an unknown operation",
      { operations: ["PATCH"] },
      /operations: "PATCH" is not a valid value; use CREATE or UPDATE or DELETE or CONNECT/,
    ],
    ["an operation twice", { operations: ["CREATE", "CREATE"] }, /operations: an operation is listed twice/],
    ["CONNECT to the object itself", { operations: ["CONNECT"] }, /operations: CONNECT applies to subresources only; list them/],
    ["default for DELETE only", { default() {}, operations: ["DELETE"] }, /default: an object that is being deleted cannot be changed/],
    ["a subresource that the kind does not have", { subresources: ["scale"] }, /subresources: Thing has no scale; it has: status/],
    ["onlySubresources without subresources", { onlySubresources: true }, /onlySubresources: no subresources are listed/],
    [
      "a condition without a name",
      { matchConditions: [{ name: "", expression: "true" }] },
      /matchConditions\[0\].name: "" is not a valid name/,
    ],
    [
      "a condition without an expression",
      { matchConditions: [{ name: "a", expression: " " }] },
      /matchConditions\[0\].expression: it is empty/,
    ],
    [
      "a duplicate condition",
      { matchConditions: [1, 2].map(() => ({ name: "a", expression: "true" })) },
      /matchConditions\[1\].name: a is used twice/,
    ],
    [
      "too many conditions",
      { matchConditions: Array.from({ length: 65 }, (_, i) => ({ name: `c${i}`, expression: "true" })) },
      /65 are too many/,
    ],
    [
      "In without values",
      { objectSelector: { matchExpressions: [{ key: "a", operator: "In" }] } },
      /objectSelector.matchExpressions\[0\].values: In needs values/,
    ],
    [
      "an invalid label key",
      { namespaceSelector: { matchLabels: { "a b": "c" } } },
      /namespaceSelector.matchLabels: "a b" is not a label key/,
    ],
    ["reinvocation without default", { reinvocation: "IfNeeded" }, /reinvocation: only `default` can be called again/],
    ["a name with a dot", { name: "a.b" }, /name: "a.b" cannot be part of a DNS name/],
  ])("%s", (_, options, message) => {
    const make = () => webhook(Thing, { validate, ...options } as never);
    expect(make).toThrow(InvalidWebhook);
    expect(make).toThrow(message);
    expect(make).toThrow(/^webhook for Thing: /);
  });

  test("kinds for which the API server never calls webhooks", () => {
    expect(() => webhook(ValidatingWebhookConfiguration, { validate })).toThrow(
      /the API server never calls webhooks for admissionregistration/,
    );
  });
});

describe("buildWebhookConfigurations", () => {
  test("contains every option, and the defaults of the others", () => {
    const [entry] = entries(
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
    expect(entry).toEqual({
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

  test("omits DELETE from the mutating configuration", () => {
    const both = entries(webhook(Thing, { default() {}, validate, operations: ["CREATE", "DELETE"] }));
    expect(both.map(({ rules }) => (rules as readonly JsonObject[])[0]!["operations"])).toEqual([["CREATE"], ["CREATE", "DELETE"]]);
  });

  test("lists only subresources with onlySubresources", () => {
    const [only] = entries(webhook(Pod, { validate, subresources: ["eviction"], onlySubresources: true, operations: ["CREATE"] }));
    expect((only!["rules"] as readonly JsonObject[])[0]).toMatchObject({ resources: ["pods/eviction"] });
  });

  const excluded = { key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["kube-node-lease", "kube-system", "op-system"] };
  test("excludes system namespaces for built-in kinds if a failing webhook would lock them", () => {
    const selector = (options: object = {}) => entries(webhook(Pod, { validate, ...options }))[0]!["namespaceSelector"];
    expect(selector()).toEqual({ matchExpressions: [excluded] });
    expect(selector({ namespaceSelector: { matchLabels: { a: "b" } } })).toEqual({ matchLabels: { a: "b" }, matchExpressions: [excluded] });
    expect(selector({ failurePolicy: "Ignore" })).toBeUndefined();
    expect(selector({ systemNamespaces: true })).toBeUndefined();
    expect(entries(webhook(Thing, { validate }))[0]).not.toHaveProperty("namespaceSelector");
    const Foreign = defineUntypedKind({
      group: "monitoring.coreos.com",
      version: "v1",
      kind: "Rule",
      plural: "rules",
      scope: "Namespaced",
    });
    expect(entries(webhook(Foreign, { validate }))[0]).not.toHaveProperty("namespaceSelector");
    expect((entries(webhook(Node, { validate }))[0]!["rules"] as readonly JsonObject[])[0]).toMatchObject({ scope: "Cluster" });
  });

  test("rejects two webhooks of a kind without different names", () => {
    const registerTwice = () => entries(webhook(Thing, { validate }), webhook(Thing, { validate }));
    expect(registerTwice).toThrow("two webhooks validate Thing: give one of them another `name`");
    expect(entries(webhook(Thing, { validate }), webhook(Thing, { validate, name: "quota" })).map(({ name }) => name)).toEqual([
      "validate.thing.v1.example.com",
      "quota.validate.thing.v1.example.com",
    ]);
  });
});

test("hints warn of a webhook that could lock cluster-scoped objects", () => {
  const hintsFor = (options: object) => describeWebhooks([webhook(Node, { validate, ...options })], []).hints;
  expect(hintsFor({})).toEqual([expect.stringContaining("Node is cluster-scoped: while the operator is down")]);
  expect([...hintsFor({ failurePolicy: "Ignore" }), ...hintsFor({ systemNamespaces: true })]).toEqual([]);
});

describe("validateWithSchema", () => {
  test("has a hint if the CustomResourceDefinition can express the schema", () => {
    const plain = z.object({ n: z.int().min(1) });
    const hintsFor = (schema: typeof plain) => describeWebhooks([webhook(Thing, { validate: validateWithSchema(schema) })], []).hints;
    expect(hintsFor(plain)).toEqual([
      "validate.thing.v1.example.com: the CustomResourceDefinition of Thing can express the whole schema: move it there, no webhook is needed",
    ]);
    expect(hintsFor(plain.refine(({ n }) => n % 2 === 0))).toEqual([]);
  });

  test("returns the issues of Zod as field errors", async () => {
    const schema = z
      .object({ ports: z.array(z.object({ name: z.string() })) })
      .refine(({ ports }) => ports.length !== 2, { path: ["ports"], message: "not two" });
    const check = (spec: unknown) => validateWithSchema(schema)({ operation: "CREATE", object: { spec } } as never);
    expect(await check({ ports: [] })).toEqual([]);
    expect(await check({ ports: [{ name: "a" }, { name: "b" }] })).toEqual([{ field: "spec.ports", message: "not two" }]);
    expect((await check({ ports: [{ name: 1 }] }))[0]!.field).toBe("spec.ports[0].name");
    expect(await validateWithSchema(schema)({ operation: "DELETE", object: undefined } as never)).toEqual([]);
  });
});

import type { JsonObject } from "pintle/kinds";
import { describe, expect, test } from "vitest";
import type { CustomResourceDefinition } from "../crd/index.ts";
import { buildCrdOpenApi, hashDocument } from "./index.ts";

const crd = (plural: string, kind: string, more: Partial<CustomResourceDefinition["spec"]> = {}): CustomResourceDefinition => ({
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: "example.com",
    names: { plural, kind, listKind: `${kind}List` },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: `Schema of ${kind}.`,
            properties: {
              spec: {
                type: "object",
                description: "Desired state.",
                properties: { size: { type: "integer", nullable: true, description: "Size of the widget." } },
              },
            },
          },
        },
      },
    ],
    ...more,
  },
});
const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const definitions = (name: string): JsonObject | undefined =>
  name === `${META}.ObjectMeta`
    ? {
        type: "object",
        properties: { managedFields: { type: "array", items: { $ref: `#/components/schemas/${META}.ManagedFieldsEntry` } } },
      }
    : name.startsWith(META)
      ? { type: "object", description: name }
      : undefined;
const document = (...crds: CustomResourceDefinition[]) => buildCrdOpenApi("example.com", "v1", crds, definitions);

type OpenApiOperation = {
  readonly "x-kubernetes-action": string;
  readonly "x-kubernetes-group-version-kind": JsonObject;
  readonly parameters?: readonly { readonly name: string }[];
};
const paths = (of: JsonObject) => of["paths"] as unknown as Record<string, Record<string, OpenApiOperation>>;
const schemas = (of: JsonObject) => (of["components"] as { schemas: Record<string, JsonObject> }).schemas;

describe("the document of a kind", () => {
  const of = document(crd("widgets", "Widget"));

  test("has a path for every operation", () => {
    expect(Object.keys(paths(of))).toEqual([
      "/apis/example.com/v1/namespaces/{namespace}/widgets",
      "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}",
      "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/status",
      "/apis/example.com/v1/widgets",
    ]);
  });

  test("declares fieldValidation on write operations", () => {
    const { post } = paths(of)["/apis/example.com/v1/namespaces/{namespace}/widgets"]!;
    const { patch } = paths(of)["/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"]!;
    for (const operation of [post!, patch!]) {
      expect(operation["x-kubernetes-group-version-kind"]).toEqual({ group: "example.com", version: "v1", kind: "Widget" });
      expect(operation.parameters?.map(({ name }) => name)).toContain("fieldValidation");
    }
    expect([post!["x-kubernetes-action"], patch!["x-kubernetes-action"]]).toEqual(["post", "patch"]);
  });

  test("keeps the descriptions of the schema", () => {
    const { description, properties } = schemas(of)["com.example.v1.Widget"]! as { description: string; properties: JsonObject };
    expect(description).toBe("Schema of Widget.");
    expect(properties["spec"]).toMatchObject({
      description: "Desired state.",
      properties: { size: { description: "Size of the widget." } },
    });
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(["apiVersion", "kind", "metadata"]));
  });

  test("includes every referenced schema", () => {
    const refs = [...JSON.stringify(of).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name!);
    expect(refs).toContain(`${META}.ManagedFieldsEntry`);
    for (const name of refs) expect(schemas(of)).toHaveProperty([name]);
  });
});

test("cluster-scoped kinds have no namespaced paths", () => {
  expect(Object.keys(paths(document(crd("widgets", "Widget", { scope: "Cluster" })))).join()).not.toContain("namespaces");
});

test("ignores CRDs of other groups and versions", () => {
  expect(paths(document(crd("widgets", "Widget", { group: "other.example.com" })))).toEqual({});
  expect(paths(buildCrdOpenApi("example.com", "v2", [crd("widgets", "Widget")], definitions))).toEqual({});
});

test("the hash depends on the content, not on the order of the CRDs", () => {
  const [a, b] = [crd("widgets", "Widget"), crd("gadgets", "Gadget")];
  expect(hashDocument(document(a, b))).toBe(hashDocument(document(b, a)));
  expect(hashDocument(document(a, b))).not.toBe(hashDocument(document(a)));
});

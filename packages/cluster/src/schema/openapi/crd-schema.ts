import type { JsonObject } from "pintle/kinds";
import type { JsonSchema } from "../json-schema.ts";
import { deepEqual } from "../validate/equal.ts";

export const meta = (name: string): string => `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`;
export const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

const text = { type: "string" };
/** What every object has, whether its schema says so or not. */
const resourceFields = { apiVersion: text, kind: text, metadata: { allOf: [reference(meta("ObjectMeta"))] } };

export interface PublishedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly selectableFields?: readonly { readonly jsonPath: string }[] | undefined;
}

/** "com.example.v1.Widget": how a kind's schema is called in the document. */
export function modelName({ group, version }: PublishedKind, kind: string): string {
  return `${group.split(".").reverse().join(".")}.${version}.${kind}`;
}

/** The schema of a custom resource as clients get to see it: with the fields that go without saying. */
export function publishedSchema(of: PublishedKind, schema: JsonSchema): JsonObject {
  const root = published(schema);
  return { ...root, properties: { ...(root["properties"] as JsonObject), ...resourceFields }, ...extensions(of, of.kind) };
}

export function publishedList(of: PublishedKind): JsonObject {
  const items = { type: "array", items: reference(modelName(of, of.kind)) };
  return {
    type: "object",
    required: ["items"],
    properties: { ...resourceFields, items, metadata: { allOf: [reference(meta("ListMeta"))] } },
    ...extensions(of, of.listKind),
  };
}

function extensions({ group, version, selectableFields = [] }: PublishedKind, kind: string): JsonObject {
  const fields = selectableFields.map(({ jsonPath }) => ({ fieldPath: jsonPath.replace(/^\./, "") }));
  return {
    "x-kubernetes-group-version-kind": [{ group, version, kind }],
    ...(fields.length > 0 && { "x-kubernetes-selectable-fields": fields }),
  };
}

function published(schema: JsonSchema): JsonObject {
  const { items, properties, additionalProperties: additional } = schema;
  const copy: Record<string, unknown> = { ...unfolded(schema) };
  if (items !== undefined) copy["items"] = published(items);
  if (typeof additional === "object") copy["additionalProperties"] = published(additional);
  if (properties !== undefined) {
    copy["properties"] = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, published(property)]));
  }
  if (schema["x-kubernetes-embedded-resource"] === true) {
    copy["properties"] = { ...(copy["properties"] as JsonObject | undefined), ...resourceFields };
    copy["required"] = [...new Set([...(schema.required ?? []), "kind", "apiVersion"])];
  }
  return copy as JsonObject;
}

const intOrString = [{ type: "integer" }, { type: "string" }];

/** Says in plain OpenAPI what x-kubernetes-int-or-string means. */
function unfolded(schema: JsonSchema): JsonSchema {
  if (schema["x-kubernetes-int-or-string"] !== true) return schema;
  const { anyOf, allOf = [] } = schema;
  const said = (branches: readonly JsonSchema[] | undefined) =>
    deepEqual((branches ?? null) as unknown as JsonObject, intOrString as unknown as JsonObject);
  if (said(anyOf) || said(allOf[0]?.anyOf)) return schema;
  return anyOf === undefined ? { ...schema, anyOf: intOrString } : { ...schema, allOf: [{ anyOf: intOrString }, ...allOf] };
}

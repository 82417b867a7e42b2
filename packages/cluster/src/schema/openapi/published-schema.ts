import type { JsonObject } from "pintle/kinds";
import type { JsonSchema } from "../json-schema.ts";
import { deepEqual } from "../validation/deep-equal.ts";

export const getMetaV1Name = (name: string): string => `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`;
export const createReference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

const typeFields = {
  apiVersion: { type: "string", description: "API group and version in which this object is written, for example apps/v1." },
  kind: { type: "string", description: "Kind of this object in CamelCase. It cannot be changed." },
};
/** Fields of every object, whether the schema declares them or not. */
const resourceFields = {
  ...typeFields,
  metadata: {
    description: "Name, namespace, labels, annotations and other metadata that every object has.",
    allOf: [createReference(getMetaV1Name("ObjectMeta"))],
  },
};

export interface PublishedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly selectableFields?: readonly { readonly jsonPath: string }[] | undefined;
}

/** Returns the name of a kind's schema in the document: "com.example.v1.Widget". */
export function getModelName({ group, version }: PublishedKind, kind: string): string {
  return `${group.split(".").reverse().join(".")}.${version}.${kind}`;
}

/** Builds the published schema of a custom resource, including the implicit fields. */
export function buildPublishedSchema(of: PublishedKind, schema: JsonSchema): JsonObject {
  const root = publishSubschema(schema);
  return { ...root, properties: { ...(root["properties"] as JsonObject), ...resourceFields }, ...buildExtensions(of, of.kind) };
}

export function buildPublishedListSchema(of: PublishedKind): JsonObject {
  const items = { type: "array", description: `Objects of kind ${of.kind}.`, items: createReference(getModelName(of, of.kind)) };
  const metadata = {
    description: "Revision of the list, and where its next page starts.",
    allOf: [createReference(getMetaV1Name("ListMeta"))],
  };
  return {
    description: `List of objects of kind ${of.kind}.`,
    type: "object",
    required: ["items"],
    properties: { ...typeFields, items, metadata },
    ...buildExtensions(of, of.listKind),
  };
}

function buildExtensions({ group, version, selectableFields = [] }: PublishedKind, kind: string): JsonObject {
  const fields = selectableFields.map(({ jsonPath }) => ({ fieldPath: jsonPath.replace(/^\./, "") }));
  return {
    "x-kubernetes-group-version-kind": [{ group, version, kind }],
    ...(fields.length > 0 && { "x-kubernetes-selectable-fields": fields }),
  };
}

function publishSubschema(schema: JsonSchema): JsonObject {
  const { items, properties, additionalProperties: additional } = schema;
  const copy: Record<string, unknown> = { ...expandIntOrString(schema) };
  if (items !== undefined) copy["items"] = publishSubschema(items);
  if (typeof additional === "object") copy["additionalProperties"] = publishSubschema(additional);
  if (properties !== undefined) {
    copy["properties"] = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, publishSubschema(property)]));
  }
  if (schema["x-kubernetes-embedded-resource"] === true) {
    copy["properties"] = { ...(copy["properties"] as JsonObject | undefined), ...resourceFields };
    copy["required"] = [...new Set([...(schema.required ?? []), "kind", "apiVersion"])];
  }
  return copy as JsonObject;
}

const intOrString = [{ type: "integer" }, { type: "string" }];

/** Expands x-kubernetes-int-or-string to plain OpenAPI. */
function expandIntOrString(schema: JsonSchema): JsonSchema {
  if (schema["x-kubernetes-int-or-string"] !== true) return schema;
  const { anyOf, allOf = [] } = schema;
  const isIntOrString = (branches: readonly JsonSchema[] | undefined) =>
    deepEqual((branches ?? null) as unknown as JsonObject, intOrString as unknown as JsonObject);
  if (isIntOrString(anyOf) || isIntOrString(allOf[0]?.anyOf)) return schema;
  return anyOf === undefined ? { ...schema, anyOf: intOrString } : { ...schema, allOf: [{ anyOf: intOrString }, ...allOf] };
}

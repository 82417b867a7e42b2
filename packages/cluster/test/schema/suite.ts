import type { JsonObject } from "pintle/kinds";

/** The schema of a custom resource and the objects to validate against it. */
export interface SchemaSuite {
  /** Name of the suite and of the resource; lower case without dashes. */
  readonly name: string;
  readonly schema: JsonObject;
  /** Other fields of the version: subresources, selectableFields, ... */
  readonly version?: JsonObject | undefined;
  /** Schema under which old objects are stored, if `schema` rejects them. */
  readonly before?: JsonObject | undefined;
  readonly cases: readonly SchemaCase[];
}

export interface SchemaCase {
  readonly name: string;
  /** The object without apiVersion, kind and metadata.name, which are filled in. */
  readonly object: JsonObject;
  /** Old object, which is stored first; `object` is then an update of it. */
  readonly old?: JsonObject | undefined;
  /** The update goes to the status subresource. */
  readonly status?: boolean | undefined;
  /** Unknown fields are errors; otherwise they are warnings. */
  readonly strict?: boolean | undefined;
}

/** The response to a case, without fields that differ between runs. */
export interface SchemaResponse {
  readonly code: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly causes?: readonly JsonObject[] | undefined;
  readonly warnings?: readonly string[] | undefined;
  /** The stored object without apiVersion, kind and metadata. */
  readonly object?: JsonObject | undefined;
}

export const group = "conformance.pintle.dev";
export const getKind = (suite: { readonly name: string }) => suite.name[0]!.toUpperCase() + suite.name.slice(1);

/** Creates a suite for a schema of `.spec`. */
export function createSpecSuite(
  name: string,
  spec: JsonObject,
  values: Readonly<Record<string, JsonObject>>,
  more: Partial<SchemaSuite> = {},
): SchemaSuite {
  return {
    name,
    schema: { type: "object", properties: { spec } },
    cases: Object.entries(values).map(([title, value]) => ({ name: title, object: { spec: value } })),
    ...more,
  };
}

/** Creates a suite for the schema of one field, `.spec.v`. */
export function createFieldSuite(name: string, field: JsonObject, values: Readonly<Record<string, unknown>>): SchemaSuite {
  const cases = Object.entries(values).map(([title, value]) => [title, { v: value }] as const);
  return createSpecSuite(name, { type: "object", properties: { v: field } }, Object.fromEntries(cases) as Record<string, JsonObject>);
}

export function createCrd(suite: SchemaSuite, schema: JsonObject = suite.schema): JsonObject {
  const name = suite.name;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${name}.${group}` },
    spec: {
      group,
      names: { plural: name, singular: name, kind: getKind(suite), listKind: `${getKind(suite)}List` },
      scope: "Cluster",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...suite.version }],
    },
  };
}

/** Creates the object of a case as it is sent. */
export function createObject(suite: SchemaSuite, object: JsonObject, index: number): JsonObject {
  const metadata = { name: `case-${index}`, ...(object["metadata"] as JsonObject | undefined) };
  return { apiVersion: `${group}/v1`, kind: getKind(suite), ...object, metadata };
}

/** A CRD to validate. */
export interface CrdCase {
  readonly name: string;
  readonly crd: JsonObject;
}

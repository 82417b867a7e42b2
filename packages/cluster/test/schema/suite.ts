import type { JsonObject } from "pintle/kinds";

/** Objects for one custom resource, and the schema they are sent against. */
export interface Suite {
  /** Also the resource's name, so: lower case, no dashes. */
  readonly name: string;
  readonly schema: JsonObject;
  /** Other fields of the version: subresources, selectableFields, ... */
  readonly version?: JsonObject | undefined;
  /** The schema old objects are stored under, if `schema` would refuse them. */
  readonly before?: JsonObject | undefined;
  readonly cases: readonly Case[];
}

export interface Case {
  readonly name: string;
  /** apiVersion, kind and metadata.name are filled in. */
  readonly object: JsonObject;
  /** Stored first; then `object` is an update of it. */
  readonly old?: JsonObject | undefined;
  /** The update goes to the status subresource. */
  readonly status?: boolean | undefined;
  /** Unknown fields are errors; otherwise they are warnings. */
  readonly strict?: boolean | undefined;
}

/** What a server makes of a case, without what differs from run to run. */
export interface Answer {
  readonly code: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly causes?: readonly JsonObject[] | undefined;
  readonly warnings?: readonly string[] | undefined;
  /** Everything but apiVersion, kind and metadata. */
  readonly object?: JsonObject | undefined;
}

export const group = "conformance.pintle.dev";
export const kind = (suite: { readonly name: string }) => suite.name[0]!.toUpperCase() + suite.name.slice(1);

/** A suite about the schema of .spec. */
export function specSuite(name: string, spec: JsonObject, values: Readonly<Record<string, JsonObject>>, more: Partial<Suite> = {}): Suite {
  return {
    name,
    schema: { type: "object", properties: { spec } },
    cases: Object.entries(values).map(([title, value]) => ({ name: title, object: { spec: value } })),
    ...more,
  };
}

/** A suite about the schema of one field, .spec.v. */
export function fieldSuite(name: string, field: JsonObject, values: Readonly<Record<string, unknown>>): Suite {
  const cases = Object.entries(values).map(([title, value]) => [title, { v: value }] as const);
  return specSuite(name, { type: "object", properties: { v: field } }, Object.fromEntries(cases) as Record<string, JsonObject>);
}

export function crdOf(suite: Suite, schema: JsonObject = suite.schema): JsonObject {
  const name = suite.name;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${name}.${group}` },
    spec: {
      group,
      names: { plural: name, singular: name, kind: kind(suite), listKind: `${kind(suite)}List` },
      scope: "Cluster",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...suite.version }],
    },
  };
}

/** The object of a case as it is sent. */
export function named(suite: Suite, object: JsonObject, index: number): JsonObject {
  const metadata = { name: `case-${index}`, ...(object["metadata"] as JsonObject | undefined) };
  return { apiVersion: `${group}/v1`, kind: kind(suite), ...object, metadata };
}

/** A CRD to ask a server about. */
export interface CrdCase {
  readonly name: string;
  readonly crd: JsonObject;
}

import type { JsonObject } from "pintle/internal/json";

/** A structural schema, as the field `openAPIV3Schema` of a CRD has it. */
export type StructuralSchema = JsonObject;

/** The options of a field. */
export interface FieldOptions {
  readonly description?: string;
  readonly rules?: readonly ValidationRule[];
  /** Further keywords, such as `maxLength`. */
  readonly keywords?: JsonObject;
}

/** A validation rule in CEL, with the message that users see. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
}

/** The options of an object. */
export interface ObjectOptions extends FieldOptions {
  readonly required?: readonly string[];
}

/** The schema of a string. */
export const text = (options: FieldOptions = {}): StructuralSchema => field("string", options);

/** The schema of an integer. */
export const integer = (options: FieldOptions = {}): StructuralSchema => field("integer", options);

/** The schema of an enum of strings. */
export const oneOf = (values: readonly string[], options: FieldOptions = {}): StructuralSchema =>
  field("string", { ...options, keywords: { enum: [...values], ...options.keywords } });

/** The schema of an object. */
export function object(properties: Readonly<Record<string, StructuralSchema>>, options: ObjectOptions = {}): StructuralSchema {
  const { required = [], ...rest } = options;
  return { ...field("object", rest), properties, ...(required.length === 0 ? {} : { required: [...required].sort() }) };
}

/** The schema of a list. */
export const list = (items: StructuralSchema, options: FieldOptions = {}): StructuralSchema => ({ ...field("array", options), items });

/** The schema of a list whose items have unique keys. */
export const mapList = (key: string, items: StructuralSchema, options: FieldOptions = {}): StructuralSchema =>
  list(items, {
    ...options,
    keywords: { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [key], ...options.keywords },
  });

/** The schema of a list that is replaced as a whole. */
export const atomicList = (items: StructuralSchema, options: FieldOptions = {}): StructuralSchema =>
  list(items, { ...options, keywords: { "x-kubernetes-list-type": "atomic", ...options.keywords } });

function field(type: string, { description, rules = [], keywords = {} }: FieldOptions): StructuralSchema {
  return {
    type,
    ...(description === undefined ? {} : { description }),
    ...keywords,
    ...(rules.length === 0 ? {} : { "x-kubernetes-validations": rules.map(({ rule, message }) => ({ rule, message })) }),
  };
}

/** `metav1.LabelSelector`. */
export function labelSelector(options: FieldOptions): StructuralSchema {
  const expression = object(
    { key: text(), operator: text(), values: atomicList(text()) },
    { required: ["key", "operator"], description: "A requirement on the value of a label." },
  );
  return object(
    {
      matchExpressions: atomicList(expression, { description: "Requirements, all of which must hold." }),
      matchLabels: { type: "object", description: "Labels with their values, all of which must match.", additionalProperties: text() },
    },
    { ...options, keywords: { "x-kubernetes-map-type": "atomic", ...options.keywords } },
  );
}

const CONDITION = object(
  {
    lastTransitionTime: text({ description: "When the status changed last.", keywords: { format: "date-time" } }),
    message: text({ description: "An explanation for people.", keywords: { maxLength: 32768 } }),
    observedGeneration: integer({ description: "The generation that was evaluated.", keywords: { format: "int64", minimum: 0 } }),
    reason: text({
      description: "A word for programs.",
      keywords: { minLength: 1, maxLength: 1024, pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$" },
    }),
    status: oneOf(["True", "False", "Unknown"], { description: "Whether the condition holds." }),
    type: text({
      description: "The name of the condition.",
      keywords: {
        maxLength: 316,
        pattern: String.raw`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`,
      },
    }),
  },
  { required: ["lastTransitionTime", "message", "reason", "status", "type"] },
);

/** The schema of `status.conditions`. */
export const conditions = (description: string): StructuralSchema => mapList("type", CONDITION, { description });

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly type: "string" | "date";
  readonly jsonPath: string;
}

/** The settings in which the CRDs of OLM v1 differ. */
export interface DefinitionOptions {
  readonly kind: string;
  readonly set: DefinitionSet;
  readonly columns: readonly Column[];
  readonly schema: StructuralSchema;
}

/** The settings in which the CRDs of `lifecycle.pintle.dev` differ. */
export interface OwnDefinitionOptions {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly scope: "Cluster" | "Namespaced";
  readonly shortNames?: readonly string[];
  readonly columns: readonly Column[];
  readonly schema: StructuralSchema;
}

/** Builds a CRD with a status and one version. */
export function buildOwnDefinition(options: OwnDefinitionOptions): JsonObject {
  const { kind, group, version, scope, shortNames = [], columns, schema } = options;
  const plural = /[^aeiou]y$/.test(kind) ? `${kind.toLowerCase().slice(0, -1)}ies` : `${kind.toLowerCase()}s`;
  const names = { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: shortNames.length === 0 ? names : { ...names, shortNames: [...shortNames] },
      scope,
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          additionalPrinterColumns: columns.map(({ name, type, jsonPath }) => ({ jsonPath, name, type })),
          schema: { openAPIV3Schema: schema },
          subresources: { status: {} },
        },
      ],
    },
  };
}

/** Which fields a CRD has: only those that are stable, or all. */
export type DefinitionSet = "standard" | "experimental";

/** Builds a cluster-scoped CRD of the group of OLM v1. */
export function buildDefinition({ kind, set, columns, schema }: DefinitionOptions): JsonObject {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.olm.operatorframework.io`, annotations: { "olm.operatorframework.io/generator": set } },
    spec: {
      group: "olm.operatorframework.io",
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      scope: "Cluster",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          additionalPrinterColumns: columns.map(({ name, type, jsonPath }) => ({ jsonPath, name, type })),
          schema: { openAPIV3Schema: schema },
          subresources: { status: {} },
        },
      ],
    },
  };
}

/** The fields that every object has. */
export const OBJECT_FIELDS = {
  apiVersion: text({ description: "The version of the schema of this object." }),
  kind: text({ description: "The kind of this object." }),
  metadata: { type: "object" },
} as const;

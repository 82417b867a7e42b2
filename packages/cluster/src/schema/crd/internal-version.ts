import { encodeGoJson } from "pintle/internal/go-format";
import { isJsonObject } from "pintle/internal/json";
import type { Json } from "pintle/kinds";
import { VerbatimValue } from "../../status/index.ts";
import type { ValidationRule } from "../json-schema.ts";
import { deepEqual } from "../validation/deep-equal.ts";
import type { CrdSpec, CrdVersion, CrdVersionFields } from "./crd.ts";

/**
 * The internal version of a CRD, which kube-apiserver validates: fields that all versions have in common are at the top
 * of the spec. Therefore errors in the schema of a single version name `spec.validation.openAPIV3Schema`, and values
 * are printed with Go field names.
 */
export interface InternalCrdSpec {
  readonly shared: CrdVersionFields;
  readonly versions: readonly CrdVersion[];
}

const versionFields = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;

export function toInternalSpec(spec: CrdSpec): InternalCrdSpec {
  const versions = spec.versions ?? [];
  const [first] = versions;
  if (first === undefined) return { shared: {}, versions };
  const common = versionFields.filter((part) => versions.every((version) => deepEqual(version[part] as Json, first[part] as Json)));
  const shared: Record<string, unknown> = {};
  for (const part of common) shared[part] = first[part];
  return {
    shared,
    versions: versions.map((version) => {
      const rest: Record<string, unknown> = { ...version };
      for (const part of common) delete rest[part];
      return rest as unknown as CrdVersion;
    }),
  };
}

export function printVersions(versions: readonly CrdVersion[]): VerbatimValue {
  return new VerbatimValue(formatList(versions.map(formatVersion)));
}

function formatVersion(version: CrdVersion): string {
  const { schema, subresources, additionalPrinterColumns: columns = [], selectableFields = [] } = version;
  return formatStruct({
    Name: encodeGoJson(version.name),
    Served: String(version.served === true),
    Storage: String(version.storage === true),
    Deprecated: String(version.deprecated === true),
    DeprecationWarning: encodeGoJson(version.deprecationWarning ?? null),
    Schema: schema === undefined ? "null" : formatStruct({ OpenAPIV3Schema: formatSchema(schema.openAPIV3Schema as Json | undefined) }),
    Subresources:
      subresources === undefined
        ? "null"
        : formatStruct({
            Status: subresources.status === undefined ? "null" : "{}",
            Scale:
              subresources.scale === undefined
                ? "null"
                : formatStruct({
                    SpecReplicasPath: encodeGoJson(subresources.scale.specReplicasPath ?? ""),
                    StatusReplicasPath: encodeGoJson(subresources.scale.statusReplicasPath ?? ""),
                    LabelSelectorPath: encodeGoJson(subresources.scale.labelSelectorPath ?? null),
                  }),
          }),
    AdditionalPrinterColumns: columns.length === 0 ? "null" : formatList(columns.map(formatColumn)),
    SelectableFields:
      selectableFields.length === 0
        ? "null"
        : formatList(selectableFields.map((field) => formatStruct({ JSONPath: encodeGoJson(field.jsonPath) }))),
  });
}

function formatColumn(column: NonNullable<CrdVersionFields["additionalPrinterColumns"]>[number]): string {
  return formatStruct({
    Name: encodeGoJson(column.name),
    Type: encodeGoJson(column.type),
    Format: encodeGoJson(column.format ?? ""),
    Description: encodeGoJson(column.description ?? ""),
    Priority: encodeGoJson(column.priority ?? 0),
    JSONPath: encodeGoJson(column.jsonPath),
  });
}

export function printRule(rule: ValidationRule): VerbatimValue {
  return new VerbatimValue(formatRule(rule));
}

function formatRule(rule: ValidationRule): string {
  return formatStruct({
    Rule: encodeGoJson(rule.rule),
    Message: encodeGoJson(rule.message ?? ""),
    MessageExpression: encodeGoJson(rule.messageExpression ?? ""),
    Reason: encodeGoJson(rule.reason ?? null),
    FieldPath: encodeGoJson(rule.fieldPath ?? ""),
    OptionalOldSelf: encodeGoJson(rule.optionalOldSelf ?? null),
  });
}

export function printSchema(schema: unknown): VerbatimValue {
  return new VerbatimValue(formatSchema(schema as Json));
}

type FieldFormatter = (value: Json | undefined) => string;

const formatString: FieldFormatter = (value) => encodeGoJson(value ?? "");
const formatBool: FieldFormatter = (value) => String(value === true);
const formatOptional: FieldFormatter = (value) => encodeGoJson(value ?? null);
const formatSchemas: FieldFormatter = (value) => (Array.isArray(value) && value.length > 0 ? formatList(value.map(formatSchema)) : "null");
const formatSchemaMap: FieldFormatter = (value) => {
  if (!isJsonObject(value)) return "null";
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${encodeGoJson(key)}:${formatSchema(value[key])}`).join(",")}}`;
};
const formatSchemaOrBool: FieldFormatter = (value) =>
  value === undefined
    ? "null"
    : formatStruct({ Allows: String(value !== false), Schema: isJsonObject(value) ? formatSchema(value) : "null" });

/** JSON schema fields in the order of the Go struct. */
const goFields: readonly (readonly [goName: string, name: string, print: FieldFormatter])[] = [
  ["ID", "id", formatString],
  ["Schema", "$schema", formatString],
  ["Ref", "$ref", formatOptional],
  ["Description", "description", formatString],
  ["Type", "type", formatString],
  ["Nullable", "nullable", formatBool],
  ["Format", "format", formatString],
  ["Title", "title", formatString],
  ["Default", "default", formatOptional],
  ["Maximum", "maximum", formatOptional],
  ["ExclusiveMaximum", "exclusiveMaximum", formatBool],
  ["Minimum", "minimum", formatOptional],
  ["ExclusiveMinimum", "exclusiveMinimum", formatBool],
  ["MaxLength", "maxLength", formatOptional],
  ["MinLength", "minLength", formatOptional],
  ["Pattern", "pattern", formatString],
  ["MaxItems", "maxItems", formatOptional],
  ["MinItems", "minItems", formatOptional],
  ["UniqueItems", "uniqueItems", formatBool],
  ["MultipleOf", "multipleOf", formatOptional],
  ["Enum", "enum", formatOptional],
  ["MaxProperties", "maxProperties", formatOptional],
  ["MinProperties", "minProperties", formatOptional],
  ["Required", "required", formatOptional],
  ["Items", "items", formatItems],
  ["AllOf", "allOf", formatSchemas],
  ["OneOf", "oneOf", formatSchemas],
  ["AnyOf", "anyOf", formatSchemas],
  ["Not", "not", formatSchema],
  ["Properties", "properties", formatSchemaMap],
  ["AdditionalProperties", "additionalProperties", formatSchemaOrBool],
  ["PatternProperties", "patternProperties", formatSchemaMap],
  ["Dependencies", "dependencies", formatOptional],
  ["AdditionalItems", "additionalItems", formatSchemaOrBool],
  ["Definitions", "definitions", formatSchemaMap],
  ["ExternalDocs", "externalDocs", formatExternalDocs],
  ["Example", "example", formatOptional],
  ["XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", formatOptional],
  ["XEmbeddedResource", "x-kubernetes-embedded-resource", formatBool],
  ["XIntOrString", "x-kubernetes-int-or-string", formatBool],
  ["XListMapKeys", "x-kubernetes-list-map-keys", formatOptional],
  ["XListType", "x-kubernetes-list-type", formatOptional],
  ["XMapType", "x-kubernetes-map-type", formatOptional],
  [
    "XValidations",
    "x-kubernetes-validations",
    (value) => (Array.isArray(value) ? formatList(value.map((rule) => formatRule(rule as unknown as ValidationRule))) : "null"),
  ],
];

/** Returns the Go names of the fields with a non-zero value, in declaration order. */
export function listGoFields(schema: object): readonly string[] {
  return goFields.filter(([, name]) => !isZero((schema as Record<string, Json | undefined>)[name])).map(([goName]) => goName);
}

function isZero(value: Json | undefined): boolean {
  return value === undefined || value === null || value === "" || value === false;
}

function formatSchema(schema: Json | undefined): string {
  if (!isJsonObject(schema)) return "null";
  return `{${goFields.map(([goName, name, print]) => `"${goName}":${print(schema[name])}`).join(",")}}`;
}

function formatItems(items: Json | undefined): string {
  if (items === undefined) return "null";
  return formatStruct({
    Schema: Array.isArray(items) ? "null" : formatSchema(items),
    JSONSchemas: Array.isArray(items) ? formatSchemas(items) : "null",
  });
}

function formatExternalDocs(docs: Json | undefined): string {
  return isJsonObject(docs) ? formatStruct({ Description: formatString(docs["description"]), URL: formatString(docs["url"]) }) : "null";
}

function formatStruct(members: Readonly<Record<string, string>>): string {
  return `{${Object.entries(members)
    .map(([name, value]) => `"${name}":${value}`)
    .join(",")}}`;
}

function formatList(items: readonly string[]): string {
  return `[${items.join(",")}]`;
}

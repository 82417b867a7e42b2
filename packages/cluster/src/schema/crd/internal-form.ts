import { isObject, type Json } from "pintle/kinds";
import { goJson, Verbatim } from "../../status/index.ts";
import type { ValidationRule } from "../json-schema.ts";
import { deepEqual } from "../validate/equal.ts";
import type { CrdSpec, CrdVersion, CrdVersionParts } from "./crd.ts";

/**
 * The server checks CRDs in an internal form: what all versions have in common stands at the top of the spec, so that
 * errors about a single version's schema name `spec.validation.openAPIV3Schema`, and values are printed with Go's names.
 */
export interface InternalSpec {
  readonly shared: CrdVersionParts;
  readonly versions: readonly CrdVersion[];
}

const parts = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;

export function internalSpec(spec: CrdSpec): InternalSpec {
  const versions = spec.versions ?? [];
  const [first] = versions;
  if (first === undefined) return { shared: {}, versions };
  const common = parts.filter((part) => versions.every((version) => deepEqual(version[part] as Json, first[part] as Json)));
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

export function printedVersions(versions: readonly CrdVersion[]): Verbatim {
  return new Verbatim(list(versions.map(printedVersion)));
}

function printedVersion(version: CrdVersion): string {
  const { schema, subresources, additionalPrinterColumns: columns = [], selectableFields = [] } = version;
  return struct({
    Name: goJson(version.name),
    Served: String(version.served === true),
    Storage: String(version.storage === true),
    Deprecated: String(version.deprecated === true),
    DeprecationWarning: goJson(version.deprecationWarning ?? null),
    Schema: schema === undefined ? "null" : struct({ OpenAPIV3Schema: schemaText(schema.openAPIV3Schema as Json | undefined) }),
    Subresources:
      subresources === undefined
        ? "null"
        : struct({
            Status: subresources.status === undefined ? "null" : "{}",
            Scale:
              subresources.scale === undefined
                ? "null"
                : struct({
                    SpecReplicasPath: goJson(subresources.scale.specReplicasPath ?? ""),
                    StatusReplicasPath: goJson(subresources.scale.statusReplicasPath ?? ""),
                    LabelSelectorPath: goJson(subresources.scale.labelSelectorPath ?? null),
                  }),
          }),
    AdditionalPrinterColumns: columns.length === 0 ? "null" : list(columns.map(columnText)),
    SelectableFields:
      selectableFields.length === 0 ? "null" : list(selectableFields.map((field) => struct({ JSONPath: goJson(field.jsonPath) }))),
  });
}

function columnText(column: NonNullable<CrdVersionParts["additionalPrinterColumns"]>[number]): string {
  return struct({
    Name: goJson(column.name),
    Type: goJson(column.type),
    Format: goJson(column.format ?? ""),
    Description: goJson(column.description ?? ""),
    Priority: goJson(column.priority ?? 0),
    JSONPath: goJson(column.jsonPath),
  });
}

export function printedRule(rule: ValidationRule): Verbatim {
  return new Verbatim(ruleText(rule));
}

function ruleText(rule: ValidationRule): string {
  return struct({
    Rule: goJson(rule.rule),
    Message: goJson(rule.message ?? ""),
    MessageExpression: goJson(rule.messageExpression ?? ""),
    Reason: goJson(rule.reason ?? null),
    FieldPath: goJson(rule.fieldPath ?? ""),
    OptionalOldSelf: goJson(rule.optionalOldSelf ?? null),
  });
}

export function printedSchema(schema: unknown): Verbatim {
  return new Verbatim(schemaText(schema as Json));
}

type FieldText = (value: Json | undefined) => string;

const text: FieldText = (value) => goJson(value ?? "");
const flag: FieldText = (value) => String(value === true);
const optional: FieldText = (value) => goJson(value ?? null);
const schemas: FieldText = (value) => (Array.isArray(value) && value.length > 0 ? list(value.map(schemaText)) : "null");
const schemaMap: FieldText = (value) => {
  if (!isObject(value)) return "null";
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${goJson(key)}:${schemaText(value[key])}`).join(",")}}`;
};
const schemaOrBool: FieldText = (value) =>
  value === undefined ? "null" : struct({ Allows: String(value !== false), Schema: isObject(value) ? schemaText(value) : "null" });

/** In the order Go declares them. */
const fields: readonly (readonly [goName: string, name: string, print: FieldText])[] = [
  ["ID", "id", text],
  ["Schema", "$schema", text],
  ["Ref", "$ref", optional],
  ["Description", "description", text],
  ["Type", "type", text],
  ["Nullable", "nullable", flag],
  ["Format", "format", text],
  ["Title", "title", text],
  ["Default", "default", optional],
  ["Maximum", "maximum", optional],
  ["ExclusiveMaximum", "exclusiveMaximum", flag],
  ["Minimum", "minimum", optional],
  ["ExclusiveMinimum", "exclusiveMinimum", flag],
  ["MaxLength", "maxLength", optional],
  ["MinLength", "minLength", optional],
  ["Pattern", "pattern", text],
  ["MaxItems", "maxItems", optional],
  ["MinItems", "minItems", optional],
  ["UniqueItems", "uniqueItems", flag],
  ["MultipleOf", "multipleOf", optional],
  ["Enum", "enum", optional],
  ["MaxProperties", "maxProperties", optional],
  ["MinProperties", "minProperties", optional],
  ["Required", "required", optional],
  ["Items", "items", itemsText],
  ["AllOf", "allOf", schemas],
  ["OneOf", "oneOf", schemas],
  ["AnyOf", "anyOf", schemas],
  ["Not", "not", schemaText],
  ["Properties", "properties", schemaMap],
  ["AdditionalProperties", "additionalProperties", schemaOrBool],
  ["PatternProperties", "patternProperties", schemaMap],
  ["Dependencies", "dependencies", optional],
  ["AdditionalItems", "additionalItems", schemaOrBool],
  ["Definitions", "definitions", schemaMap],
  ["ExternalDocs", "externalDocs", docsText],
  ["Example", "example", optional],
  ["XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", optional],
  ["XEmbeddedResource", "x-kubernetes-embedded-resource", flag],
  ["XIntOrString", "x-kubernetes-int-or-string", flag],
  ["XListMapKeys", "x-kubernetes-list-map-keys", optional],
  ["XListType", "x-kubernetes-list-type", optional],
  ["XMapType", "x-kubernetes-map-type", optional],
  [
    "XValidations",
    "x-kubernetes-validations",
    (value) => (Array.isArray(value) ? list(value.map((rule) => ruleText(rule as unknown as ValidationRule))) : "null"),
  ],
];

/** Names of the fields a schema sets to anything but zero, as Go calls them and in its order. */
export function goFieldsOf(schema: object): readonly string[] {
  return fields.filter(([, name]) => !isZero((schema as Record<string, Json | undefined>)[name])).map(([goName]) => goName);
}

function isZero(value: Json | undefined): boolean {
  return value === undefined || value === null || value === "" || value === false;
}

function schemaText(schema: Json | undefined): string {
  if (!isObject(schema)) return "null";
  return `{${fields.map(([goName, name, print]) => `"${goName}":${print(schema[name])}`).join(",")}}`;
}

function itemsText(items: Json | undefined): string {
  if (items === undefined) return "null";
  return struct({ Schema: Array.isArray(items) ? "null" : schemaText(items), JSONSchemas: Array.isArray(items) ? schemas(items) : "null" });
}

function docsText(docs: Json | undefined): string {
  return isObject(docs) ? struct({ Description: text(docs["description"]), URL: text(docs["url"]) }) : "null";
}

function struct(members: Readonly<Record<string, string>>): string {
  return `{${Object.entries(members)
    .map(([name, value]) => `"${name}":${value}`)
    .join(",")}}`;
}

function list(items: readonly string[]): string {
  return `[${items.join(",")}]`;
}

import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { type FieldError, fieldError, formatFieldError } from "../../status/index.ts";
import type { JsonSchema } from "../json-schema.ts";
import { checkPattern } from "../re2/index.ts";
import { deepEqual } from "../validation/deep-equal.ts";
import { listGoFields } from "./internal-version.ts";

type SchemaLevel = "root" | "item" | "field";

/** Validates that a schema is structural: every field has a type, declared once and outside of allOf, anyOf, oneOf and not. */
export function validateStructural(schema: JsonSchema, path: string): FieldError[] {
  const errors = [...validateInvariants(schema, "root", path), ...validateCompleteness(schema, path)];
  return errors.sort((a, b) => (formatFieldError(a) < formatFieldError(b) ? -1 : 1));
}

const emptyTypeMessages: Readonly<Record<SchemaLevel, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function validateInvariants(schema: JsonSchema, level: SchemaLevel, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { type = "", items, properties = {}, additionalProperties: additional } = schema;
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const preserve = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const intOrString = schema["x-kubernetes-int-or-string"] === true;

  if (type === "array" && items === undefined) errors.push(fieldError.required(`${path}.items`, "must be specified"));
  if (items !== undefined) errors.push(...validateInvariants(items, "item", `${path}.items`));
  for (const [name, property] of Object.entries(properties)) {
    errors.push(...validateInvariants(property, "field", `${path}.properties[${name}]`));
  }
  if (additional !== undefined) {
    if (level === "root") errors.push(fieldError.forbidden(`${path}.additionalProperties`, "must not be used at the root"));
    if (isJsonObject(additional)) errors.push(...validateInvariants(additional as JsonSchema, "field", `${path}.additionalProperties`));
  }
  if (intOrString && preserve) {
    errors.push(
      fieldError.invalid(`${path}.x-kubernetes-preserve-unknown-fields`, true, "must be false if x-kubernetes-int-or-string is true"),
    );
  }
  if (intOrString && embedded) {
    errors.push(fieldError.invalid(`${path}.x-kubernetes-embedded-resource`, true, "must be false if x-kubernetes-int-or-string is true"));
  }
  errors.push(...validateValueValidations(schema, isIntOrString(schema.anyOf), isIntOrString(schema.allOf?.[0]?.anyOf), path));

  if (embedded && type !== "object") {
    const must = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? fieldError.required(`${path}.type`, must) : fieldError.invalid(`${path}.type`, type, must));
  } else if (type === "" && !intOrString && !preserve) {
    errors.push(fieldError.required(`${path}.type`, emptyTypeMessages[level]));
  }
  if (embedded && additional !== undefined) {
    errors.push(fieldError.forbidden(`${path}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set"));
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(fieldError.invalid(`${path}.type`, type, "must be object at the root"));
  }
  if (level === "root" || embedded) errors.push(...validateTypeMeta(properties, path));
  if (properties["metadata"] !== undefined) {
    errors.push(...validateMetadataSchema(properties["metadata"], level, embedded, `${path}.properties[metadata]`));
  }
  if (embedded && !preserve && Object.keys(properties).length === 0) {
    const must = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(fieldError.required(`${path}.properties`, must));
  }
  return errors;
}

function validateTypeMeta(properties: Readonly<Record<string, JsonSchema>>, path: string): FieldError[] {
  return ["kind", "apiVersion"].flatMap((name) => {
    const property = properties[name];
    if (property === undefined || property.type === "string") return [];
    return [fieldError.invalid(`${path}.properties[${name}].type`, property.type ?? "", "must be string")];
  });
}

function validateMetadataSchema(metadata: JsonSchema, level: SchemaLevel, embedded: boolean, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if ((level === "root" || embedded) && metadata.type !== "object") {
    errors.push(fieldError.invalid(`${path}.type`, metadata.type ?? "", "must be object"));
  }
  if (level !== "root") return errors;
  const onlyNames = Object.keys(metadata.properties ?? {}).every((name) => name === "name" || name === "generateName");
  const specified = listGoFields(metadata).filter(
    (field) => field !== "Type" && field !== "Default" && (field !== "Properties" || !onlyNames),
  );
  if (specified.length > 0) {
    const must = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    errors.push(fieldError.forbidden(path, must));
  }
  return errors;
}

const intOrStringBranches: Json = [{ type: "integer" }, { type: "string" }];

function isIntOrString(anyOf: readonly JsonSchema[] | undefined): boolean {
  return anyOf !== undefined && deepEqual(anyOf as unknown as Json, intOrStringBranches);
}

/** Validates value validations: the keywords that are also allowed inside allOf, anyOf, oneOf and not. */
function validateValueValidations(schema: JsonSchema, skipAnyOf: boolean, skipFirstAllOf: boolean, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!skipAnyOf)
    for (const [i, branch] of (schema.anyOf ?? []).entries())
      errors.push(...validateNestedValueValidations(branch, false, `${path}.anyOf[${i}]`));
  for (const [i, branch] of (schema.allOf ?? []).entries())
    errors.push(...validateNestedValueValidations(branch, skipFirstAllOf && i === 0, `${path}.allOf[${i}]`));
  for (const [i, branch] of (schema.oneOf ?? []).entries())
    errors.push(...validateNestedValueValidations(branch, false, `${path}.oneOf[${i}]`));
  if (schema.not !== undefined) errors.push(...validateNestedValueValidations(schema.not, false, `${path}.not`));
  if (schema.pattern !== undefined && schema.pattern !== "") {
    try {
      checkPattern(schema.pattern);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const detail = `must be a valid regular expression, but isn't: ${error.message}`;
      errors.push(fieldError.invalid(`${path}.pattern`, schema.pattern, detail));
    }
  }
  return errors;
}

const forbiddenInJunctors: readonly (readonly [keyword: string, must: string])[] = [
  ["type", "must be empty to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

function validateNestedValueValidations(schema: JsonSchema, skipAnyOf: boolean, path: string): FieldError[] {
  const errors = validateValueValidations(schema, skipAnyOf, false, path);
  if (schema.items !== undefined) errors.push(...validateNestedValueValidations(schema.items, false, `${path}.items`));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    errors.push(...validateNestedValueValidations(property, false, `${path}.properties[${name}]`));
  }
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false) {
    errors.push(fieldError.forbidden(`${path}.additionalProperties`, "must be undefined to be structural"));
  }
  for (const [keyword, must] of forbiddenInJunctors) {
    if (isSet((schema as JsonObject)[keyword])) errors.push(fieldError.forbidden(`${path}.${keyword}`, must));
  }
  if (schema.properties?.["metadata"] !== undefined) {
    errors.push(fieldError.forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context"));
  }
  return errors;
}

function isSet(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== "" && value !== false;
}

/** Requires that fields used in allOf, anyOf, oneOf and not are also declared outside of them. */
function validateCompleteness(schema: JsonSchema, path: string): FieldError[] {
  return validateBranches(schema, schema, path, path);
}

function validateBranches(value: JsonSchema, structure: JsonSchema, path: string, valuePath: string): FieldError[] {
  const errors: FieldError[] = [];
  const add = (nested: JsonSchema, at: string) => errors.push(...validateNested(nested, structure, path, at));
  if (value.not !== undefined) add(value.not, `${valuePath}.not`);
  for (const junctor of ["allOf", "anyOf", "oneOf"] as const) {
    for (const [i, nested] of (value[junctor] ?? []).entries()) add(nested, `${valuePath}.${junctor}[${i}]`);
  }
  return errors;
}

function validateNested(value: JsonSchema, structure: JsonSchema | undefined, path: string, valuePath: string): FieldError[] {
  if (structure === undefined) return [fieldError.required(path, `because it is defined in ${valuePath}`)];
  const errors = validateBranches(value, structure, path, valuePath);
  if (isJsonObject(value.items))
    errors.push(...validateNested(value.items as JsonSchema, structure.items, `${path}.items`, `${valuePath}.items`));
  for (const [name, property] of Object.entries(value.properties ?? {})) {
    const at = `.properties[${name}]`;
    errors.push(...validateNested(property, structure.properties?.[name], path + at, valuePath + at));
  }
  return errors;
}

import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { type FieldError, fieldError, fieldErrorText } from "../../status/index.ts";
import type { JsonSchema } from "../json-schema.ts";
import { pattern } from "../pattern.ts";
import { deepEqual } from "../validate/equal.ts";
import { completenessErrors } from "./completeness.ts";
import { goFieldsOf } from "./internal-form.ts";

type Level = "root" | "item" | "field";

/** What makes a schema structural: every part of a value has a type, said once and outside of allOf, anyOf, oneOf, not. */
export function structuralErrors(schema: JsonSchema, path: string): FieldError[] {
  const errors = [...invariantErrors(schema, "root", path), ...completenessErrors(schema, path)];
  return errors.sort((a, b) => (fieldErrorText(a) < fieldErrorText(b) ? -1 : 1));
}

const emptyType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function invariantErrors(schema: JsonSchema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { type = "", items, properties = {}, additionalProperties: additional } = schema;
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const preserve = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const intOrString = schema["x-kubernetes-int-or-string"] === true;

  if (type === "array" && items === undefined) errors.push(fieldError.required(`${path}.items`, "must be specified"));
  if (items !== undefined) errors.push(...invariantErrors(items, "item", `${path}.items`));
  for (const [name, property] of Object.entries(properties)) {
    errors.push(...invariantErrors(property, "field", `${path}.properties[${name}]`));
  }
  if (additional !== undefined) {
    if (level === "root") errors.push(fieldError.forbidden(`${path}.additionalProperties`, "must not be used at the root"));
    if (isObject(additional)) errors.push(...invariantErrors(additional as JsonSchema, "field", `${path}.additionalProperties`));
  }
  if (intOrString && preserve) {
    errors.push(
      fieldError.invalid(`${path}.x-kubernetes-preserve-unknown-fields`, true, "must be false if x-kubernetes-int-or-string is true"),
    );
  }
  if (intOrString && embedded) {
    errors.push(fieldError.invalid(`${path}.x-kubernetes-embedded-resource`, true, "must be false if x-kubernetes-int-or-string is true"));
  }
  errors.push(...valueErrors(schema, isIntOrString(schema.anyOf), isIntOrString(schema.allOf?.[0]?.anyOf), path));

  if (embedded && type !== "object") {
    const must = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? fieldError.required(`${path}.type`, must) : fieldError.invalid(`${path}.type`, type, must));
  } else if (type === "" && !intOrString && !preserve) {
    errors.push(fieldError.required(`${path}.type`, emptyType[level]));
  }
  if (embedded && additional !== undefined) {
    errors.push(fieldError.forbidden(`${path}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set"));
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(fieldError.invalid(`${path}.type`, type, "must be object at the root"));
  }
  if (level === "root" || embedded) errors.push(...typeMetaErrors(properties, path));
  if (properties["metadata"] !== undefined) {
    errors.push(...metadataErrors(properties["metadata"], level, embedded, `${path}.properties[metadata]`));
  }
  if (embedded && !preserve && Object.keys(properties).length === 0) {
    const must = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(fieldError.required(`${path}.properties`, must));
  }
  return errors;
}

function typeMetaErrors(properties: Readonly<Record<string, JsonSchema>>, path: string): FieldError[] {
  return ["kind", "apiVersion"].flatMap((name) => {
    const property = properties[name];
    if (property === undefined || property.type === "string") return [];
    return [fieldError.invalid(`${path}.properties[${name}].type`, property.type ?? "", "must be string")];
  });
}

function metadataErrors(metadata: JsonSchema, level: Level, embedded: boolean, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if ((level === "root" || embedded) && metadata.type !== "object") {
    errors.push(fieldError.invalid(`${path}.type`, metadata.type ?? "", "must be object"));
  }
  if (level !== "root") return errors;
  const onlyNames = Object.keys(metadata.properties ?? {}).every((name) => name === "name" || name === "generateName");
  const said = goFieldsOf(metadata).filter((field) => field !== "Type" && field !== "Default" && (field !== "Properties" || !onlyNames));
  if (said.length > 0) {
    const must = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    errors.push(fieldError.forbidden(path, must));
  }
  return errors;
}

const intOrStringBranches: Json = [{ type: "integer" }, { type: "string" }];

function isIntOrString(anyOf: readonly JsonSchema[] | undefined): boolean {
  return anyOf !== undefined && deepEqual(anyOf as unknown as Json, intOrStringBranches);
}

/** Rules for what a schema says about values, which is also what may stand inside allOf, anyOf, oneOf and not. */
function valueErrors(schema: JsonSchema, skipAnyOf: boolean, skipFirstAllOf: boolean, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!skipAnyOf)
    for (const [i, branch] of (schema.anyOf ?? []).entries()) errors.push(...nestedErrors(branch, false, `${path}.anyOf[${i}]`));
  for (const [i, branch] of (schema.allOf ?? []).entries())
    errors.push(...nestedErrors(branch, skipFirstAllOf && i === 0, `${path}.allOf[${i}]`));
  for (const [i, branch] of (schema.oneOf ?? []).entries()) errors.push(...nestedErrors(branch, false, `${path}.oneOf[${i}]`));
  if (schema.not !== undefined) errors.push(...nestedErrors(schema.not, false, `${path}.not`));
  if (schema.pattern !== undefined && schema.pattern !== "") {
    try {
      pattern(schema.pattern);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const detail = `must be a valid regular expression, but isn't: ${error.message}`;
      errors.push(fieldError.invalid(`${path}.pattern`, schema.pattern, detail));
    }
  }
  return errors;
}

const notInside: readonly (readonly [keyword: string, must: string])[] = [
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

function nestedErrors(schema: JsonSchema, skipAnyOf: boolean, path: string): FieldError[] {
  const errors = valueErrors(schema, skipAnyOf, false, path);
  if (schema.items !== undefined) errors.push(...nestedErrors(schema.items, false, `${path}.items`));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    errors.push(...nestedErrors(property, false, `${path}.properties[${name}]`));
  }
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false) {
    errors.push(fieldError.forbidden(`${path}.additionalProperties`, "must be undefined to be structural"));
  }
  for (const [keyword, must] of notInside) {
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

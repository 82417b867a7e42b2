import type { Json, JsonObject } from "pintle/kinds";
import { type FieldError, fieldError } from "../../status/index.ts";
import type { JsonSchema } from "../json-schema.ts";
import { createRuleChecker, RuleCostTotal } from "./cel-rule-validation.ts";
import type { CrdVersionFields } from "./crd.ts";
import { validateDefaults } from "./default-validation.ts";
import { listGoFields, printSchema } from "./internal-version.ts";
import { rootSchemaContext, validateSchema } from "./schema-validation.ts";
import { validateStructural } from "./structural-validation.ts";
import { someSubschema } from "./subschemas.ts";

/** Validates the schema of a version, or the one that all versions share. */
export function validateVersionSchema(validation: CrdVersionFields["schema"], statusEnabled: boolean, path: string): FieldError[] {
  const schema = validation?.openAPIV3Schema;
  if (schema === undefined) return [];
  const at = `${path}.openAPIV3Schema`;
  const errors: FieldError[] = statusEnabled ? validateRootFields(schema, at) : [];
  if (schema.nullable === true) errors.push(fieldError.forbidden(`${at}.nullable`, "nullable cannot be true at the root"));
  const unsupported = findUnsupportedKeyword(schema);
  const structuralErrors = unsupported === undefined ? validateStructureAndDefaults(schema, at) : [];
  errors.push(...structuralErrors);
  const costs = new RuleCostTotal();
  const rules = unsupported === undefined && structuralErrors.length === 0 ? createRuleChecker(schema, costs) : undefined;
  const found = validateSchema(schema, at, rootSchemaContext, rules);
  errors.push(...found.schema, ...found.rules);
  if (errors.length === 0 && unsupported !== undefined) errors.push(fieldError.invalid(at, "", unsupported));
  errors.push(...costs.validate(at));
  return errors;
}

function validateStructureAndDefaults(schema: JsonSchema, path: string): FieldError[] {
  const structure = validateStructural(schema, path);
  return structure.length > 0 ? structure : validateDefaults(schema, path);
}

const allowedAtRoot = [
  "Description",
  "Type",
  "Format",
  "Title",
  "Maximum",
  "ExclusiveMaximum",
  "Minimum",
  "ExclusiveMinimum",
  "MaxLength",
  "MinLength",
  "Pattern",
  "MaxItems",
  "MinItems",
  "UniqueItems",
  "MultipleOf",
  "Required",
  "Items",
  "Properties",
  "ExternalDocs",
  "Example",
  "XPreserveUnknownFields",
  "XValidations",
];

/** Restricts the keywords at the root, because `.status` is validated on its own if the status subresource is enabled. */
function validateRootFields(schema: JsonSchema, path: string): FieldError[] {
  for (const field of listGoFields(schema)) {
    if (field === "Type") {
      if (schema.type === "object") continue;
      const only = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [fieldError.invalid(`${path}.type`, schema.type ?? "", only)];
    }
    if (!allowedAtRoot.includes(field)) {
      const only = `only [${allowedAtRoot.join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`;
      return [fieldError.invalid(path, printSchema(schema), only)];
    }
  }
  return [];
}

const unsupportedKeywords: readonly (readonly [keyword: string, name: string])[] = [
  ["id", "id"],
  ["$schema", "schema"],
  ["$ref", "$ref"],
  ["patternProperties", "patternProperties"],
  ["dependencies", "dependencies"],
  ["additionalItems", "additionalItems"],
  ["definitions", "definitions"],
];

/** Returns why a schema cannot be converted to a structural schema; undefined if it can. */
function findUnsupportedKeyword(schema: JsonSchema): string | undefined {
  let why: string | undefined;
  someSubschema(schema, (at) => {
    const found = unsupportedKeywords.find(([keyword]) => isSet((at as JsonObject)[keyword]));
    if (found !== undefined) why = `OpenAPIV3Schema '${found[1]}' is not supported`;
    else if (Array.isArray(at.items)) why = "OpenAPIV3Schema 'items' must be a schema, but is an array";
    else if (at["x-kubernetes-preserve-unknown-fields"] === false) {
      why = "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
    }
    return why !== undefined;
  });
  return why;
}

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== "";
}

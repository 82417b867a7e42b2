import type { Json, JsonObject } from "pintle/kinds";
import { type FieldError, fieldError } from "../../status/index.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { CrdVersionParts } from "./crd.ts";
import { defaultErrors } from "./default-rules.ts";
import { goFieldsOf, printedSchema } from "./internal-form.ts";
import { RuleCosts, ruleChecker } from "./rule-rules.ts";
import { schemaErrors, schemaRoot } from "./schema-rules.ts";
import { someSchema } from "./some-schema.ts";
import { structuralErrors } from "./structural-rules.ts";

/** All rules for the schema of a version, or of all versions. */
export function versionSchemaErrors(holder: CrdVersionParts["schema"], statusEnabled: boolean, path: string): FieldError[] {
  const schema = holder?.openAPIV3Schema;
  if (schema === undefined) return [];
  const at = `${path}.openAPIV3Schema`;
  const errors: FieldError[] = statusEnabled ? rootFieldErrors(schema, at) : [];
  if (schema.nullable === true) errors.push(fieldError.forbidden(`${at}.nullable`, "nullable cannot be true at the root"));
  const unsupported = unsupportedKeyword(schema);
  const unsound = unsupported === undefined ? unsoundness(schema, at) : [];
  errors.push(...unsound);
  const costs = new RuleCosts();
  const rules = unsupported === undefined && unsound.length === 0 ? ruleChecker(schema, costs) : undefined;
  const found = schemaErrors(schema, at, schemaRoot, rules);
  errors.push(...found.schema, ...found.rules);
  if (errors.length === 0 && unsupported !== undefined) errors.push(fieldError.invalid(at, "", unsupported));
  errors.push(...costs.errors(at));
  return errors;
}

function unsoundness(schema: JsonSchema, path: string): FieldError[] {
  const structure = structuralErrors(schema, path);
  return structure.length > 0 ? structure : defaultErrors(schema, path);
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

/** With a status subresource .status is validated alone: nothing at the root may speak of it in other ways. */
function rootFieldErrors(schema: JsonSchema, path: string): FieldError[] {
  for (const field of goFieldsOf(schema)) {
    if (field === "Type") {
      if (schema.type === "object") continue;
      const only = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [fieldError.invalid(`${path}.type`, schema.type ?? "", only)];
    }
    if (!allowedAtRoot.includes(field)) {
      const only = `only [${allowedAtRoot.join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`;
      return [fieldError.invalid(path, printedSchema(schema), only)];
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

/** Why a schema has no structural form at all. */
function unsupportedKeyword(schema: JsonSchema): string | undefined {
  let why: string | undefined;
  someSchema(schema, (at) => {
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

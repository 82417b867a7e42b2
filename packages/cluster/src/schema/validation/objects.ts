import type { Json, JsonObject } from "pintle/kinds";
import type { StructuralSchema } from "../structural/structural-schema.ts";
import { createRatchetingValidator } from "./lists.ts";
import { getOldField } from "./ratcheting.ts";
import { type ValidationResult, violation } from "./validation-result.ts";
import type { SchemaValidator } from "./validator.ts";

export type ObjectCheck = (value: JsonObject, path: string, found: ValidationResult, old: Json | undefined) => void;

interface FieldValidator {
  readonly name: string;
  readonly validateCreate: SchemaValidator;
  readonly validateUpdate: SchemaValidator;
}

export function compileObjectCheck(node: StructuralSchema, compile: (node: StructuralSchema) => SchemaValidator): ObjectCheck | undefined {
  const { minProperties, maxProperties, required = [], additionalProperties } = node.schema;
  const fields = [...node.properties].map(([name, property]) => compileFieldValidator(name, property, compile));
  const others = node.additionalProperties === undefined ? undefined : compileFieldValidator("", node.additionalProperties, compile);
  const refuseOthers = additionalProperties === false;
  const counted = minProperties !== undefined || maxProperties !== undefined;
  if (fields.length === 0 && others === undefined && !refuseOthers && !counted && required.length === 0) return undefined;

  return (value, path, found, old) => {
    if (counted) {
      const size = Object.keys(value).length;
      if (minProperties !== undefined && size < minProperties) {
        found.violations.push(violation.invalid(path, size, `should have at least ${minProperties} properties`));
      }
      if (maxProperties !== undefined && size > maxProperties)
        found.violations.push(violation.tooManyProperties(path, size, maxProperties));
    }
    if (refuseOthers || others !== undefined) {
      for (const key in value) {
        if (node.properties.has(key)) continue;
        if (others !== undefined) checkField(others, key, `${path}.${key}`, value, found, old);
        else found.violations.push(violation.withMessage(path, key, `${path}.${key} in body is a forbidden property`));
      }
    }
    for (const known of fields) {
      if (Object.hasOwn(value, known.name)) {
        checkField(known, known.name, path === "" ? known.name : `${path}.${known.name}`, value, found, old);
      }
    }
    for (const name of required) {
      if (!Object.hasOwn(value, name)) found.violations.push(violation.required(`${path}.${name}`));
    }
  };
}

function compileFieldValidator(name: string, node: StructuralSchema, compile: (node: StructuralSchema) => SchemaValidator): FieldValidator {
  const validateCreate = compile(node);
  return { name, validateCreate, validateUpdate: createRatchetingValidator(node, validateCreate) };
}

function checkField(
  field: FieldValidator,
  key: string,
  path: string,
  value: JsonObject,
  found: ValidationResult,
  old: Json | undefined,
): void {
  // Conversion may have set apiVersion and kind, so they are not correlated.
  const was = old === undefined || (path === key && (key === "kind" || key === "apiVersion")) ? undefined : getOldField(old, key);
  if (was === undefined) field.validateCreate(value[key]!, path, found, undefined);
  else field.validateUpdate(value[key]!, path, found, was);
}

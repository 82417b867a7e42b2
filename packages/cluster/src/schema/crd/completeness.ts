import { isObject } from "pintle/kinds";
import { type FieldError, fieldError } from "../../status/index.ts";
import type { JsonSchema } from "../json-schema.ts";

/** Whatever allOf, anyOf, oneOf and not speak of must also be declared outside of them. */
export function completenessErrors(schema: JsonSchema, path: string): FieldError[] {
  return branchErrors(schema, schema, path, path);
}

function branchErrors(value: JsonSchema, structure: JsonSchema, path: string, valuePath: string): FieldError[] {
  const errors: FieldError[] = [];
  const add = (nested: JsonSchema, at: string) => errors.push(...nestedErrors(nested, structure, path, at));
  if (value.not !== undefined) add(value.not, `${valuePath}.not`);
  for (const junctor of ["allOf", "anyOf", "oneOf"] as const) {
    for (const [i, nested] of (value[junctor] ?? []).entries()) add(nested, `${valuePath}.${junctor}[${i}]`);
  }
  return errors;
}

function nestedErrors(value: JsonSchema, structure: JsonSchema | undefined, path: string, valuePath: string): FieldError[] {
  if (structure === undefined) return [fieldError.required(path, `because it is defined in ${valuePath}`)];
  const errors = branchErrors(value, structure, path, valuePath);
  if (isObject(value.items))
    errors.push(...nestedErrors(value.items as JsonSchema, structure.items, `${path}.items`, `${valuePath}.items`));
  for (const [name, property] of Object.entries(value.properties ?? {})) {
    const at = `.properties[${name}]`;
    errors.push(...nestedErrors(property, structure.properties?.[name], path + at, valuePath + at));
  }
  return errors;
}

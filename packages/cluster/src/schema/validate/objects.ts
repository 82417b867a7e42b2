import type { Json, JsonObject } from "pintle/kinds";
import type { Structural } from "../structural.ts";
import { ratchet } from "./lists.ts";
import { type Findings, problem } from "./problem.ts";
import { oldField } from "./ratchet.ts";
import type { Validator } from "./validator.ts";

export type ObjectCheck = (value: JsonObject, path: string, found: Findings, old: Json | undefined) => void;

interface Field {
  readonly name: string;
  readonly create: Validator;
  readonly update: Validator;
}

export function objectCheck(node: Structural, compile: (node: Structural) => Validator): ObjectCheck | undefined {
  const { minProperties, maxProperties, required = [], additionalProperties } = node.schema;
  const fields = [...node.properties].map(([name, property]) => field(name, property, compile));
  const others = node.additional === undefined ? undefined : field("", node.additional, compile);
  const refuseOthers = additionalProperties === false;
  const counted = minProperties !== undefined || maxProperties !== undefined;
  if (fields.length === 0 && others === undefined && !refuseOthers && !counted && required.length === 0) return undefined;

  return (value, path, found, old) => {
    if (counted) {
      const size = Object.keys(value).length;
      if (minProperties !== undefined && size < minProperties) {
        found.problems.push(problem.invalid(path, size, `should have at least ${minProperties} properties`));
      }
      if (maxProperties !== undefined && size > maxProperties) found.problems.push(problem.tooManyProperties(path, size, maxProperties));
    }
    if (refuseOthers || others !== undefined) {
      for (const key in value) {
        if (node.properties.has(key)) continue;
        if (others !== undefined) check(others, key, `${path}.${key}`, value, found, old);
        else found.problems.push(problem.said(path, key, `${path}.${key} in body is a forbidden property`));
      }
    }
    for (const known of fields) {
      if (Object.hasOwn(value, known.name)) {
        check(known, known.name, path === "" ? known.name : `${path}.${known.name}`, value, found, old);
      }
    }
    for (const name of required) {
      if (!Object.hasOwn(value, name)) found.problems.push(problem.required(`${path}.${name}`));
    }
  };
}

function field(name: string, node: Structural, compile: (node: Structural) => Validator): Field {
  const create = compile(node);
  return { name, create, update: ratchet(node, create) };
}

function check(field: Field, key: string, path: string, value: JsonObject, found: Findings, old: Json | undefined): void {
  // A conversion may have put apiVersion and kind there: whether they changed says nothing.
  const was = old === undefined || (path === key && (key === "kind" || key === "apiVersion")) ? undefined : oldField(old, key);
  if (was === undefined) field.create(value[key]!, path, found, undefined);
  else field.update(value[key]!, path, found, was);
}

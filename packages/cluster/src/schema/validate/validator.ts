import { isObject, type Json } from "pintle/kinds";
import type { JsonSchema } from "../json-schema.ts";
import { type Structural, structural } from "../structural.ts";
import { type Format, stringFormat } from "../text/formats.ts";
import { enumCheck } from "./enums.ts";
import { junctorCheck } from "./junctors.ts";
import { listCheck } from "./lists.ts";
import { isInt64, isWhole, numberCheck } from "./numbers.ts";
import { objectCheck } from "./objects.ts";
import { type Findings, problem } from "./problem.ts";
import { stringCheck } from "./strings.ts";

/** Checks a value at a path. `old` is what it was before an update, where that can be told. */
export type Validator = (value: Json, path: string, found: Findings, old: Json | undefined) => void;

/**
 * Compiles everything a schema says about values. The order of checks, the sentences and the bookkeeping of matches
 * follow the server's OpenAPI validator, which runs a fixed chain of eight checks over every value: matches count the
 * links of that chain that applied, and those that were met in some of them.
 */
export function validator(node: Structural): Validator {
  const { schema } = node;
  const types = typesOf(schema);
  const format = knownFormat(schema);
  const type = types.length > 0 || format !== "" ? typeCheck(types, format) : undefined;
  const junctors = junctorCheck(schema, (branch) => validator(structural(branch)));
  const text = stringCheck(schema);
  const textFormat = stringFormat(format);
  const number = numberCheck(schema, types, format);
  const list = listCheck(node, node.items === undefined ? undefined : validator(node.items));
  const oneOfEnum = enumCheck(schema.enum);
  const object = objectCheck(node, validator);
  const nullable = types.length === 0 || node.nullable;

  return (value, path, found, old) => {
    if (value === null) {
      if (nullable) found.matches++;
      else found.problems.push(problem.wrongType(path, types.join(","), "null"));
      oneOfEnum?.(value, path, found);
      return;
    }
    // The chain itself, the junctors' own two, and the enum.
    found.matches += 4;
    if (type !== undefined) {
      found.matches++;
      type(value, path, found);
    }
    junctors?.(value, path, found);
    if (typeof value === "string") {
      checkText(value, path, found, text, textFormat, format);
    } else if (typeof value === "number" || typeof value === "bigint") {
      found.matches += 2;
      number?.(value, path, found);
    } else if (Array.isArray(value)) {
      found.matches += 2;
      list?.(value, path, found, old);
    }
    oneOfEnum?.(value, path, found);
    if (isObject(value)) {
      found.matches++;
      object?.(value, path, found, old);
    }
  };
}

function checkText(
  value: string,
  path: string,
  found: Findings,
  text: ReturnType<typeof stringCheck>,
  isOfFormat: Format | undefined,
  format: string,
): void {
  found.matches++;
  text?.(value, path, found);
  if (isOfFormat === undefined) return;
  found.matches++;
  if (!isOfFormat(value)) found.problems.push(problem.wrongType(path, format, value));
}

function typesOf(schema: JsonSchema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] === true) return ["integer", "string"];
  return schema.type === undefined || schema.type === "" ? [] : [schema.type];
}

/** Formats the server does not know for the type are as good as absent. */
export function knownFormat(schema: JsonSchema): string {
  const { format = "" } = schema;
  const [type = "", ...more] = typesOf(schema);
  if (more.length > 0 || type === "" || type === "string") return stringFormat(format) === undefined ? "" : format;
  if (type === "integer") return format === "int32" || format === "int64" ? format : "";
  if (type === "number") return format === "float" || format === "double" ? format : "";
  return "";
}

function typeCheck(types: readonly string[], format: string) {
  const names = types.join(",");
  const numeric = types.includes("number") || types.includes("integer");
  return (value: Json, path: string, found: Findings): void => {
    const type = typeOf(value);
    if (types.includes(type) || (numeric && isNumberOf(value, type, types))) {
      found.matches++;
      return;
    }
    const formatted = format !== "" && type !== "string" && type !== "array";
    // A string format forgives a list: the server mistakes it for bytes.
    if (format !== "" && !formatted && !numeric) found.matches++;
    else if (formatted) found.problems.push(problem.wrongType(path, format, goFormat(type)));
    else found.problems.push(problem.wrongType(path, names, type));
  };
}

function typeOf(value: Json): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "number":
    case "bigint":
      return isInt64(value) ? "integer" : "number";
    default:
      return Array.isArray(value) ? "array" : "object";
  }
}

/** Whole numbers are numbers, and a float that is whole is an integer. */
function isNumberOf(value: Json, type: string, types: readonly string[]): boolean {
  if (type === "integer") return types.includes("number");
  return type === "number" && types.includes("integer") && isWhole(Number(value));
}

function goFormat(type: string): string {
  return type === "integer" ? "int64" : type === "number" ? "float64" : "";
}

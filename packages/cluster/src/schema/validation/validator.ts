import { isJsonObject } from "pintle/internal/json";
import type { Json } from "pintle/kinds";
import { findStringFormat, type StringFormatCheck } from "../formats/string-formats.ts";
import type { JsonSchema } from "../json-schema.ts";
import { matchesPattern } from "../re2/index.ts";
import { type StructuralSchema, toStructuralSchema } from "../structural/structural-schema.ts";
import { deepEqual } from "./deep-equal.ts";
import { compileJunctorCheck } from "./junctors.ts";
import { compileListCheck } from "./lists.ts";
import { compileNumberCheck, isInt64, isWholeNumber } from "./numbers.ts";
import { compileObjectCheck } from "./objects.ts";
import { type ValidationResult, violation } from "./validation-result.ts";

/** Validates a value at a path. `old` is the correlated old value of an update, if there is one. */
export type SchemaValidator = (value: Json, path: string, found: ValidationResult, old: Json | undefined) => void;

/**
 * Compiles a structural schema to a validator. The order of checks, the messages and the match count follow
 * kube-apiserver's OpenAPI validator, which runs a fixed chain of eight checks on every value: the match count adds up
 * the checks that applied, and for some of them those that passed.
 */
export function compileValidator(node: StructuralSchema): SchemaValidator {
  const { schema } = node;
  const types = getTypes(schema);
  const format = getKnownFormat(schema);
  const type = types.length > 0 || format !== "" ? compileTypeCheck(types, format) : undefined;
  const junctors = compileJunctorCheck(schema, (branch) => compileValidator(toStructuralSchema(branch)));
  const text = compileStringCheck(schema);
  const textFormat = findStringFormat(format);
  const number = compileNumberCheck(schema, types, format);
  const list = compileListCheck(node, node.items === undefined ? undefined : compileValidator(node.items));
  const oneOfEnum = compileEnumCheck(schema.enum);
  const object = compileObjectCheck(node, compileValidator);
  const nullable = types.length === 0 || node.nullable;

  return (value, path, found, old) => {
    if (value === null) {
      if (nullable) found.matchCount++;
      else found.violations.push(violation.invalidType(path, types.join(","), "null"));
      oneOfEnum?.(value, path, found);
      return;
    }
    // One for the chain, two for the junctors, one for the enum.
    found.matchCount += 4;
    if (type !== undefined) {
      found.matchCount++;
      type(value, path, found);
    }
    junctors?.(value, path, found);
    if (typeof value === "string") {
      checkString(value, path, found, text, textFormat, format);
    } else if (typeof value === "number" || typeof value === "bigint") {
      found.matchCount += 2;
      number?.(value, path, found);
    } else if (Array.isArray(value)) {
      found.matchCount += 2;
      list?.(value, path, found, old);
    }
    oneOfEnum?.(value, path, found);
    if (isJsonObject(value)) {
      found.matchCount++;
      object?.(value, path, found, old);
    }
  };
}

function checkString(
  value: string,
  path: string,
  found: ValidationResult,
  text: ReturnType<typeof compileStringCheck>,
  isOfFormat: StringFormatCheck | undefined,
  format: string,
): void {
  found.matchCount++;
  text?.(value, path, found);
  if (isOfFormat === undefined) return;
  found.matchCount++;
  if (!isOfFormat(value)) found.violations.push(violation.invalidType(path, format, value));
}

function getTypes(schema: JsonSchema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] === true) return ["integer", "string"];
  return schema.type === undefined || schema.type === "" ? [] : [schema.type];
}

/** Returns the format if kube-apiserver recognizes it for the type, "" otherwise. */
export function getKnownFormat(schema: JsonSchema): string {
  const { format = "" } = schema;
  const [type = "", ...more] = getTypes(schema);
  if (more.length > 0 || type === "" || type === "string") return findStringFormat(format) === undefined ? "" : format;
  if (type === "integer") return format === "int32" || format === "int64" ? format : "";
  if (type === "number") return format === "float" || format === "double" ? format : "";
  return "";
}

function compileTypeCheck(types: readonly string[], format: string) {
  const names = types.join(",");
  const numeric = types.includes("number") || types.includes("integer");
  return (value: Json, path: string, found: ValidationResult): void => {
    const type = getSchemaType(value);
    if (types.includes(type) || (numeric && isNumericType(value, type, types))) {
      found.matchCount++;
      return;
    }
    const formatted = format !== "" && type !== "string" && type !== "array";
    // A string format accepts a list, because kube-apiserver takes it for bytes.
    if (format !== "" && !formatted && !numeric) found.matchCount++;
    else if (formatted) found.violations.push(violation.invalidType(path, format, getGoFormat(type)));
    else found.violations.push(violation.invalidType(path, names, type));
  };
}

function getSchemaType(value: Json): string {
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

/** Returns whether a number satisfies the types: an integer is a number, and a whole float is an integer. */
function isNumericType(value: Json, type: string, types: readonly string[]): boolean {
  if (type === "integer") return types.includes("number");
  return type === "number" && types.includes("integer") && isWholeNumber(Number(value));
}

function getGoFormat(type: string): string {
  return type === "integer" ? "int64" : type === "number" ? "float64" : "";
}

type EnumCheck = (value: Json, path: string, found: ValidationResult) => void;

function compileEnumCheck(values: readonly Json[] | undefined): EnumCheck | undefined {
  if (values === undefined || values.length === 0) return undefined;
  const scalars = new Set<Json>(values.filter((value) => typeof value === "string" || typeof value === "boolean"));
  const others = values.filter((value) => !scalars.has(value) && value !== null);
  return (value, path, found) => {
    if (scalars.has(value) || others.some((one) => isSameEnumMember(value, one))) return;
    found.violations.push(violation.notInEnum(path, value, values));
  };
}

/** Compares as kube-apiserver does: a number is converted to the Go type of the enum member, so 1.5 is a member of [1]. */
function isSameEnumMember(value: Json, member: Json): boolean {
  if (typeof value === "number" && typeof member === "number") return (isInt64(member) ? Math.trunc(value) : value) === member;
  return deepEqual(value, member);
}

type StringCheck = (value: string, path: string, found: ValidationResult) => void;

/**
 * Compiles maxLength, minLength and pattern; only the first violation is reported. Returns undefined if every string is
 * valid.
 */
function compileStringCheck(schema: JsonSchema): StringCheck | undefined {
  const { maxLength, minLength, pattern: source = "" } = schema;
  if (maxLength === undefined && minLength === undefined && source === "") return undefined;
  return (value, path, found) => {
    if (maxLength !== undefined && value.length > maxLength && countCodePoints(value) > maxLength) {
      found.violations.push(violation.tooLong(path, maxLength));
    } else if (minLength !== undefined && countCodePoints(value) < minLength) {
      found.violations.push(violation.invalid(path, value, `should be at least ${minLength} chars long`));
    } else if (source !== "" && !matchesPattern(source, value, found.matchBudget)) {
      found.violations.push(violation.invalid(path, value, `should match '${source}'`));
    }
  };
}

/** Counts code points, as length limits do. */
function countCodePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00) count--;
  }
  return count;
}

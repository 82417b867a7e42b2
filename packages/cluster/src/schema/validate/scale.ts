import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { type FieldError, fieldError, goNumber } from "../../status/index.ts";
import { isInt64 } from "./numbers.ts";

/** Where a CRD's scale subresource finds its numbers: ".spec.replicas". */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string | undefined;
}

export function scaleSpecErrors(object: JsonObject, scale: ScalePaths): FieldError[] {
  return replicaErrors(object, scale.specReplicasPath);
}

export function scaleStatusErrors(object: JsonObject, scale: ScalePaths): FieldError[] {
  const errors = replicaErrors(object, scale.statusReplicasPath);
  if (scale.labelSelectorPath === undefined) return errors;
  const selector = nested(object, scale.labelSelectorPath, "string", (value) => typeof value === "string");
  if ("problem" in selector) errors.push(fieldError.invalid(scale.labelSelectorPath, "", selector.problem));
  return errors;
}

function replicaErrors(object: JsonObject, path: string): FieldError[] {
  const replicas = nested(object, path, "int64", (value) => typeof value !== "string" && isNumber(value) && isInt64(value));
  if ("problem" in replicas) return [fieldError.invalid(path, 0, replicas.problem)];
  const value = (replicas.value ?? 0) as number;
  if (value < 0) return [fieldError.invalid(path, value, "should be a non-negative integer")];
  if (value > 2 ** 31 - 1) return [fieldError.invalid(path, value, `should be less than or equal to ${2 ** 31 - 1}`)];
  return [];
}

function isNumber(value: Json): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

type Nested = { readonly value: Json | undefined } | { readonly problem: string };

function nested(object: JsonObject, path: string, type: string, fits: (value: Json) => boolean): Nested {
  const fields = path.replace(/^\./, "").split(".");
  let value: Json = object;
  for (const [i, field] of fields.entries()) {
    if (value === null) return { value: undefined };
    if (!isObject(value)) return { problem: accessorError(fields.slice(0, i + 1), value, "map[string]interface {}") };
    const next: Json | undefined = Object.hasOwn(value, field) ? value[field] : undefined;
    if (next === undefined) return { value: undefined };
    value = next;
  }
  return fits(value) ? { value } : { problem: accessorError(fields, value, type) };
}

function accessorError(fields: readonly string[], value: Json, expected: string): string {
  return `.${fields.join(".")} accessor error: ${goValue(value)} is of the type ${goTypeName(value)}, expected ${expected}`;
}

/** %v: strings bare, lists in brackets, maps as map[key:value]. */
function goValue(value: Json): string {
  if (value === null) return "<nil>";
  if (typeof value === "string") return value;
  if (isNumber(value)) return goNumber(value);
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${goValue(value[key]!)}`).join(" ")}]`;
}

function goTypeName(value: Json): string {
  if (value === null) return "<nil>";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (isNumber(value)) return isInt64(value) ? "int64" : "float64";
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
}

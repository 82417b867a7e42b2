import { formatGoNumber } from "pintle/internal/go-format";
import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { type FieldError, fieldError } from "../../status/index.ts";
import { isInt64 } from "./numbers.ts";

/** The paths of a CRD's scale subresource: ".spec.replicas". */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string | undefined;
}

export function validateScaleSpec(object: JsonObject, scale: ScalePaths): FieldError[] {
  return validateReplicas(object, scale.specReplicasPath);
}

export function validateScaleStatus(object: JsonObject, scale: ScalePaths): FieldError[] {
  const errors = validateReplicas(object, scale.statusReplicasPath);
  if (scale.labelSelectorPath === undefined) return errors;
  const selector = readNestedField(object, scale.labelSelectorPath, "string", (value) => typeof value === "string");
  if ("problem" in selector) errors.push(fieldError.invalid(scale.labelSelectorPath, "", selector.problem));
  return errors;
}

function validateReplicas(object: JsonObject, path: string): FieldError[] {
  const replicas = readNestedField(object, path, "int64", (value) => typeof value !== "string" && isNumber(value) && isInt64(value));
  if ("problem" in replicas) return [fieldError.invalid(path, 0, replicas.problem)];
  const value = (replicas.value ?? 0) as number;
  if (value < 0) return [fieldError.invalid(path, value, "should be a non-negative integer")];
  if (value > 2 ** 31 - 1) return [fieldError.invalid(path, value, `should be less than or equal to ${2 ** 31 - 1}`)];
  return [];
}

function isNumber(value: Json): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

type NestedField = { readonly value: Json | undefined } | { readonly problem: string };

function readNestedField(object: JsonObject, path: string, type: string, fits: (value: Json) => boolean): NestedField {
  const fields = path.replace(/^\./, "").split(".");
  let value: Json = object;
  for (const [i, field] of fields.entries()) {
    if (value === null) return { value: undefined };
    if (!isJsonObject(value)) return { problem: formatAccessorError(fields.slice(0, i + 1), value, "map[string]interface {}") };
    const next: Json | undefined = Object.hasOwn(value, field) ? value[field] : undefined;
    if (next === undefined) return { value: undefined };
    value = next;
  }
  return fits(value) ? { value } : { problem: formatAccessorError(fields, value, type) };
}

function formatAccessorError(fields: readonly string[], value: Json, expected: string): string {
  return `.${fields.join(".")} accessor error: ${formatGoValue(value)} is of the type ${getGoTypeName(value)}, expected ${expected}`;
}

/** Formats a value as Go's %v does: strings bare, lists in brackets, maps as map[key:value]. */
function formatGoValue(value: Json): string {
  if (value === null) return "<nil>";
  if (typeof value === "string") return value;
  if (isNumber(value)) return formatGoNumber(value);
  if (Array.isArray(value)) return `[${value.map(formatGoValue).join(" ")}]`;
  if (!isJsonObject(value)) return String(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${formatGoValue(value[key]!)}`).join(" ")}]`;
}

function getGoTypeName(value: Json): string {
  if (value === null) return "<nil>";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (isNumber(value)) return isInt64(value) ? "int64" : "float64";
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
}

import { formatGoSyntax, formatGoValue } from "../../go-format/index.ts";
import { isJsonObject } from "../../json/index.ts";
import { type Json, type JsonObject, type Shape, UNTYPED_SHAPE } from "../../kinds/index.ts";
import { sortKeys } from "../canonical-json.ts";
import { describeItemError, isAssociativeList, listItemElement } from "../field-set/list-items.ts";
import { formatPathElement, type PathElement } from "../field-set/path-element.ts";
import { allowsList, allowsMap, allowsScalar, fieldShape } from "../shape/shape-queries.ts";

/** Returns the violations of a shape in the API server's words: `.spec.x: field not declared in schema`. Empty for a valid value. */
export function validateAgainstShape(value: Json, shape: Shape): string[] {
  const violations: ShapeViolation[] = [];
  validateValue(value, shape, violations);
  return violations.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
}

/** A violation and its path. Paths are built from the inside out, so valid values cost nothing. */
interface ShapeViolation {
  path: string;
  readonly message: string;
}

/** Joins violations into one error message, as the API server does. */
export function formatViolations(violations: readonly string[]): string {
  return violations.length === 1 ? violations[0]! : ["errors:", ...violations.map((violation) => `  ${violation}`)].join("\n");
}

function validateValue(value: Json, shape: Shape, violations: ShapeViolation[]): void {
  if (value === null) return;
  if (isJsonObject(value) && allowsMap(shape)) validateFields(value, shape, violations);
  else if (Array.isArray(value) && allowsList(shape)) validateItems(value as readonly Json[], shape, violations);
  else {
    const message = formViolation(value, shape) ?? scalarViolation(value, shape);
    if (message !== undefined) violations.push({ path: "", message });
  }
}

function formViolation(value: Json, shape: Shape): string | undefined {
  if (typeof value !== "object" && allowsScalar(shape)) return undefined;
  if (allowsMap(shape)) return `expected map, got &{${formatGoValue(value)}}`;
  return allowsList(shape) ? `expected list, got &{${formatGoValue(value)}}` : undefined;
}

function validateFields(value: JsonObject, shape: Shape, violations: ShapeViolation[]): void {
  for (const name of sortKeys(value)) {
    const field = value[name];
    const inner = fieldShape(shape, name);
    if (inner === undefined) {
      violations.push({ path: `.${name}`, message: "field not declared in schema" });
      return;
    }
    if (field === undefined) continue;
    const before = violations.length;
    validateValue(field, inner, violations);
    for (let i = before; i < violations.length; i++) violations[i]!.path = `.${name}${violations[i]!.path}`;
  }
}

function validateItems(items: readonly Json[], shape: Shape, violations: ShapeViolation[]): void {
  const granular = isAssociativeList(shape);
  const seen = new Set<PathElement>();
  for (const [i, item] of items.entries()) {
    const element = granular ? listItemElement(item, shape) : `i:${i}`;
    if (element === undefined) {
      violations.push({ path: "", message: `element ${i}: ${describeItemError(item, shape)}` });
      return;
    }
    if (seen.has(element)) violations.push({ path: "", message: `duplicate entries for key ${formatPathElement(element)}` });
    seen.add(element);
    const before = violations.length;
    validateValue(item, shape.items ?? UNTYPED_SHAPE, violations);
    for (let j = before; j < violations.length; j++) violations[j]!.path = formatPathElement(element) + violations[j]!.path;
  }
}

function scalarViolation(value: Json, shape: Shape): string | undefined {
  const isNumber = typeof value === "number" || typeof value === "bigint";
  switch (shape.scalar) {
    case "number":
      return isNumber ? undefined : `expected numeric (int or float), got ${goTypeName(value)}`;
    case "string":
      return typeof value === "string" ? undefined : `expected string, got &value.valueUnstructured{Value:${formatGoSyntax(value)}}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${formatGoValue(value)}}`;
    default:
      return typeof value === "object" ? `expected any scalar, got &{${formatGoValue(value)}}` : undefined;
  }
}

function goTypeName(value: Json): string {
  if (Array.isArray(value)) return "[]interface {}";
  return isJsonObject(value) ? "map[string]interface {}" : typeof value === "boolean" ? "bool" : typeof value;
}

import { isObject, type Json, type JsonObject, type Shape, UNTYPED } from "../kinds/index.ts";
import { sortedKeys } from "./canonical.ts";
import { goText, literal } from "./go-text.ts";
import { isGranularList, itemElement, itemFault } from "./list-items.ts";
import { elementText, type PathElement } from "./path-element.ts";
import { fieldShape, hasList, hasMap, hasScalar } from "./shape-at.ts";

/**
 * What of a value does not fit its shape, in the words of the server: `.spec.x: field not declared in schema`.
 * Empty when all of it does.
 */
export function conform(value: Json, shape: Shape): string[] {
  const faults: Fault[] = [];
  check(value, shape, faults);
  return faults.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
}

/** Paths grow from the inside out, so that values without faults cost none. */
interface Fault {
  path: string;
  readonly message: string;
}

/** One error of all faults. */
export function faultsText(faults: readonly string[]): string {
  return faults.length === 1 ? faults[0]! : ["errors:", ...faults.map((fault) => `  ${fault}`)].join("\n");
}

function check(value: Json, shape: Shape, faults: Fault[]): void {
  if (value === null) return;
  if (isObject(value) && hasMap(shape)) checkFields(value, shape, faults);
  else if (Array.isArray(value) && hasList(shape)) checkItems(value as readonly Json[], shape, faults);
  else {
    const message = formFault(value, shape) ?? scalarFault(value, shape);
    if (message !== undefined) faults.push({ path: "", message });
  }
}

function formFault(value: Json, shape: Shape): string | undefined {
  if (typeof value !== "object" && hasScalar(shape)) return undefined;
  if (hasMap(shape)) return `expected map, got &{${goText(value)}}`;
  return hasList(shape) ? `expected list, got &{${goText(value)}}` : undefined;
}

function checkFields(value: JsonObject, shape: Shape, faults: Fault[]): void {
  for (const name of sortedKeys(value)) {
    const field = value[name];
    const inner = fieldShape(shape, name);
    if (inner === undefined) {
      faults.push({ path: `.${name}`, message: "field not declared in schema" });
      return;
    }
    if (field === undefined) continue;
    const before = faults.length;
    check(field, inner, faults);
    for (let i = before; i < faults.length; i++) faults[i]!.path = `.${name}${faults[i]!.path}`;
  }
}

function checkItems(items: readonly Json[], shape: Shape, faults: Fault[]): void {
  const granular = isGranularList(shape);
  const seen = new Set<PathElement>();
  for (const [i, item] of items.entries()) {
    const element = granular ? itemElement(item, shape) : `i:${i}`;
    if (element === undefined) {
      faults.push({ path: "", message: `element ${i}: ${itemFault(item, shape)}` });
      return;
    }
    if (seen.has(element)) faults.push({ path: "", message: `duplicate entries for key ${elementText(element)}` });
    seen.add(element);
    const before = faults.length;
    check(item, shape.items ?? UNTYPED, faults);
    for (let j = before; j < faults.length; j++) faults[j]!.path = elementText(element) + faults[j]!.path;
  }
}

function scalarFault(value: Json, shape: Shape): string | undefined {
  const isNumber = typeof value === "number" || typeof value === "bigint";
  switch (shape.scalar) {
    case "number":
      return isNumber ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    case "string":
      return typeof value === "string" ? undefined : `expected string, got &value.valueUnstructured{Value:${literal(value)}}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${goText(value)}}`;
    default:
      return typeof value === "object" ? `expected any scalar, got &{${goText(value)}}` : undefined;
  }
}

function goType(value: Json): string {
  if (Array.isArray(value)) return "[]interface {}";
  return isObject(value) ? "map[string]interface {}" : typeof value === "boolean" ? "bool" : typeof value;
}

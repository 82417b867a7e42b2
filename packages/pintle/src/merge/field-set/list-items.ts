import { isJsonObject } from "../../json/index.ts";
import type { Json, Shape } from "../../kinds/index.ts";
import { keyElement, type PathElement, valueElement } from "./path-element.ts";

/** Whether a list is associative, so that its items can have different managers: sets and lists with keys. */
export function isAssociativeList(shape: Shape): boolean {
  return shape.list === "map" || shape.list === "set";
}

/** Returns the path element of an item of an associative list; undefined if it has none, which `describeItemError` explains. */
export function listItemElement(item: Json, shape: Shape): PathElement | undefined {
  if (shape.list === "set") return item === null || typeof item === "object" ? undefined : valueElement(item);
  if (!isJsonObject(item)) return undefined;
  return keyElement(shape.keys ?? [], (key) => item[key] ?? (key in item ? null : shape.keyDefaults?.[key]));
}

/** Explains in the API server's words why an item has no path element. */
export function describeItemError(item: Json, shape: Shape): string {
  if (shape.list === "set") {
    if (item === null) return "associative list without keys has an element that's an explicit null";
    if (Array.isArray(item)) return "not supported: associative list with lists as elements";
    return "associative list without keys has an element that's a map type";
  }
  if (item === null) return "associative list with keys may not have a null element";
  if (!isJsonObject(item)) return "associative list with keys may not have non-map elements";
  const keys = (shape.keys ?? []).map((key) => JSON.stringify(key)).join(" ");
  return `associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`;
}

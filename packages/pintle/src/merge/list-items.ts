import { isObject, type Json, type Shape } from "../kinds/index.ts";
import { keyElement, type PathElement, valueElement } from "./path-element.ts";

/** Lists whose items can belong to different people: sets and lists with keys. */
export function isGranularList(shape: Shape): boolean {
  return shape.list === "map" || shape.list === "set";
}

/** How an item of a set or keyed list is found again; undefined when it cannot be, and then `itemFault` says why. */
export function itemElement(item: Json, shape: Shape): PathElement | undefined {
  if (shape.list === "set") return item === null || typeof item === "object" ? undefined : valueElement(item);
  if (!isObject(item)) return undefined;
  return keyElement(shape.keys ?? [], (key) => item[key] ?? (key in item ? null : shape.keyDefaults?.[key]));
}

/** Why an item has no element. */
export function itemFault(item: Json, shape: Shape): string {
  if (shape.list === "set") {
    if (item === null) return "associative list without keys has an element that's an explicit null";
    if (Array.isArray(item)) return "not supported: associative list with lists as elements";
    return "associative list without keys has an element that's a map type";
  }
  if (item === null) return "associative list with keys may not have a null element";
  if (!isObject(item)) return "associative list with keys may not have non-map elements";
  const keys = (shape.keys ?? []).map((key) => JSON.stringify(key)).join(" ");
  return `associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`;
}

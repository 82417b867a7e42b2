import { isObject, type Json } from "../kinds/index.ts";
import { equal } from "../merge/index.ts";

/** Where two values differ: ".spec.replicas", ".spec.containers[0].image". */
export function differences(a: Json | undefined, b: Json | undefined, path = ""): string[] {
  if (equal(a, b)) return [];
  if (isObject(a) && isObject(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...keys].sort().flatMap((key) => differences(a[key], b[key], `${path}.${key}`));
  }
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length)
    return a.flatMap((item, i) => differences(item, b[i], `${path}[${i}]`));
  return [path];
}

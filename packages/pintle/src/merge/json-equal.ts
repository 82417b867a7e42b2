import { isJsonObject } from "../json/index.ts";
import type { Json } from "../kinds/index.ts";

/** Whether two values are equal as JSON; an undefined field counts as absent. */
export function isJsonEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return typeof a !== typeof b && isSameNumber(a, b);
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!isJsonEqual(a[i], b[i])) return false;
    return true;
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  let surplus = 0;
  for (const key in a) {
    if (a[key] === undefined) continue;
    if (!Object.hasOwn(b, key) || !isJsonEqual(a[key], b[key])) return false;
    surplus--;
  }
  for (const key in b) if (b[key] !== undefined) surplus++;
  return surplus === 0;
}

/** Whether a bigint and a number are the same number. */
function isSameNumber(a: Json | undefined, b: Json | undefined): boolean {
  // biome-ignore lint/suspicious/noDoubleEquals: the only comparison between a bigint and a number
  return (typeof a === "bigint" || typeof b === "bigint") && (typeof a === "number" || typeof b === "number") && a == b;
}

import { isObject, type Json } from "../kinds/index.ts";

/** Equal as JSON; a field that is undefined is not there. */
export function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return typeof a !== typeof b && sameNumber(a, b);
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!equal(a[i], b[i])) return false;
    return true;
  }
  if (!isObject(a) || !isObject(b)) return false;
  let surplus = 0;
  for (const key in a) {
    if (a[key] === undefined) continue;
    if (!Object.hasOwn(b, key) || !equal(a[key], b[key])) return false;
    surplus--;
  }
  for (const key in b) if (b[key] !== undefined) surplus++;
  return surplus === 0;
}

/** A bigint and a number may be the same number. */
function sameNumber(a: Json | undefined, b: Json | undefined): boolean {
  // biome-ignore lint/suspicious/noDoubleEquals: the one comparison that works across both
  return (typeof a === "bigint" || typeof b === "bigint") && (typeof a === "number" || typeof b === "number") && a == b;
}

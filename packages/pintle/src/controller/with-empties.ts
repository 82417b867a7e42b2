import { isObject, type Json, type JsonObject } from "../kinds/index.ts";

/**
 * What is there, with the empty values that are wanted where nothing is: servers leave `0`, `""`, `false`, `[]` and `{}` out
 * of the status of their own kinds, so nothing is what they make of these.
 */
export function withEmpties(live: Json | undefined, wanted: Json | undefined): Json | undefined {
  if (live === undefined || live === null) return isEmpty(wanted) ? wanted : live;
  if (isObject(live) && isObject(wanted)) {
    const filled: { [key: string]: Json | undefined } = { ...(live as JsonObject) };
    for (const [key, value] of Object.entries(wanted)) {
      const there = withEmpties(filled[key], value);
      if (there !== undefined) filled[key] = there;
    }
    return filled as JsonObject;
  }
  if (Array.isArray(live) && Array.isArray(wanted)) return live.map((item, i) => withEmpties(item, twin(item, wanted, i)) ?? null);
  return live;
}

/** The wanted item that an item stands for: by type, as conditions are told apart, else by position. */
function twin(item: Json, wanted: readonly Json[], at: number): Json | undefined {
  const type = isObject(item) ? item["type"] : undefined;
  return type === undefined ? wanted[at] : wanted.find((other) => isObject(other) && other["type"] === type);
}

function isEmpty(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.values(value).every(isEmpty);
  return value === "" || value === 0 || value === false || value === null;
}

import type { JsonObject } from "pintle/kinds";

/** Freezes a value recursively, so that a mutation throws. */
export function deepFreeze<T extends JsonObject>(value: T): T {
  const freeze = (part: unknown): void => {
    if (typeof part !== "object" || part === null || Object.isFrozen(part)) return;
    Object.freeze(part);
    for (const inner of Object.values(part)) freeze(inner);
  };
  freeze(value);
  return value;
}

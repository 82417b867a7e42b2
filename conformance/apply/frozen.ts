import type { JsonObject } from "pintle/kinds";

/** Whoever changes it in place throws. */
export function frozen<T extends JsonObject>(value: T): T {
  const freeze = (part: unknown): void => {
    if (typeof part !== "object" || part === null || Object.isFrozen(part)) return;
    Object.freeze(part);
    for (const inner of Object.values(part)) freeze(inner);
  };
  freeze(value);
  return value;
}

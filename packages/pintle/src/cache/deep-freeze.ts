/**
 * Freezes a value and everything in it, and returns it. The cache freezes objects when they are first read, not when they are stored:
 * most of a large cache is never read, and an in-process transport delivers frozen objects already.
 */
export function deepFreeze<T>(value: T): T {
  if (value === null || typeof value !== "object" || Object.isFrozen(value)) return value;
  Object.freeze(value);
  if (Array.isArray(value)) for (const item of value) deepFreeze(item);
  else for (const key in value) deepFreeze(value[key]);
  return value;
}

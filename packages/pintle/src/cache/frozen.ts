/**
 * The same object, frozen to the last leaf. Objects are frozen when they are first handed out, not when they are
 * stored: most of a large cache is never read, and an in-process transport hands out frozen objects already.
 */
export function frozen<T>(value: T): T {
  if (value === null || typeof value !== "object" || Object.isFrozen(value)) return value;
  Object.freeze(value);
  if (Array.isArray(value)) for (const item of value) frozen(item);
  else for (const key in value) frozen(value[key]);
  return value;
}

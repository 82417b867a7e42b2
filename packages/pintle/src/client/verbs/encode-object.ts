import { InvalidArgumentError } from "../../errors/index.ts";
import { isJsonObject } from "../../json/index.ts";
import type { KindInfo } from "../../kinds/index.ts";

/** Returns the object to send: with the apiVersion and kind of `kind`, and without `undefined` fields. */
export function encodeObject(kind: KindInfo, object: object): object {
  const { apiVersion, kind: name } = object as { readonly apiVersion?: string; readonly kind?: string };
  if ((apiVersion !== undefined && apiVersion !== kind.apiVersion) || (name !== undefined && name !== kind.kind)) {
    throw new InvalidArgumentError(
      "PINTLE1053",
      `the object is of ${apiVersion}, ${name}, but is written as ${kind.apiVersion}, ${kind.kind}`,
    );
  }
  const typed = apiVersion !== undefined && name !== undefined ? object : { apiVersion: kind.apiVersion, kind: kind.kind, ...object };
  return dropUndefined(typed, kind.kind);
}

/** Returns the value without `undefined` fields. Parts without `undefined` are shared, not copied. */
export function dropUndefined<T extends object>(value: T, name: string): T {
  return dropUndefinedIn(value, () => `${name}${findUndefinedItem(value)}`) as T;
}

function dropUndefinedIn(value: unknown, where: () => string): unknown {
  if (Array.isArray(value)) return dropUndefinedInList(value, where);
  return isJsonObject(value) ? dropUndefinedInObject(value as Record<string, unknown>, where) : value;
}

function dropUndefinedInList(list: readonly unknown[], where: () => string): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    if (list[i] === undefined)
      throw new InvalidArgumentError("PINTLE1054", `${where()} is undefined: leave the item out of the list, or give it a value`);
    const item = dropUndefinedIn(list[i], where);
    if (item === list[i]) continue;
    copy ??= [...list];
    copy[i] = item;
  }
  return copy ?? list;
}

function dropUndefinedInObject(object: Record<string, unknown>, where: () => string): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const key in object) {
    const field = dropUndefinedIn(object[key], where);
    if (field === object[key] && field !== undefined) continue;
    copy ??= { ...object };
    if (field === undefined) delete copy[key];
    else copy[key] = field;
  }
  return copy ?? object;
}

/** Returns the path of the first `undefined` item of a list; called only for an error message. */
function findUndefinedItem(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const list = Array.isArray(value);
  for (const [key, field] of list ? value.entries() : Object.entries(value)) {
    const at = list ? `[${key}]` : `.${key}`;
    const inner = list && field === undefined ? "" : findUndefinedItem(field);
    if (inner !== undefined) return at + inner;
  }
  return undefined;
}

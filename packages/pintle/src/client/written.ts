import { isObject, type KindFacts } from "../kinds/index.ts";

/** An object as it is sent: with the kind's apiVersion and kind, and without `undefined`, which JSON does not know. */
export function written(kind: KindFacts, object: object): object {
  const { apiVersion, kind: name } = object as { readonly apiVersion?: string; readonly kind?: string };
  if ((apiVersion !== undefined && apiVersion !== kind.apiVersion) || (name !== undefined && name !== kind.kind)) {
    throw new TypeError(`the object says ${apiVersion}, ${name}, but is written as ${kind.apiVersion}, ${kind.kind}`);
  }
  const typed = apiVersion !== undefined && name !== undefined ? object : { apiVersion: kind.apiVersion, kind: kind.kind, ...object };
  return withoutUndefined(typed, kind.kind);
}

/** What holds no `undefined` is passed on, not copied. */
export function withoutUndefined<T extends object>(value: T, name: string): T {
  return kept(value, () => `${name}${holeIn(value)}`) as T;
}

function kept(value: unknown, where: () => string): unknown {
  if (Array.isArray(value)) return keptList(value, where);
  return isObject(value) ? keptObject(value as Record<string, unknown>, where) : value;
}

function keptList(list: readonly unknown[], where: () => string): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    if (list[i] === undefined) throw new TypeError(`${where()} is undefined: leave the item out of the list, or give it a value`);
    const item = kept(list[i], where);
    if (item === list[i]) continue;
    copy ??= [...list];
    copy[i] = item;
  }
  return copy ?? list;
}

function keptObject(object: Record<string, unknown>, where: () => string): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const key in object) {
    const field = kept(object[key], where);
    if (field === object[key] && field !== undefined) continue;
    copy ??= { ...object };
    if (field === undefined) delete copy[key];
    else copy[key] = field;
  }
  return copy ?? object;
}

/** The path of the first `undefined` in a list, looked for only when there is one to complain about. */
function holeIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const list = Array.isArray(value);
  for (const [key, field] of list ? value.entries() : Object.entries(value)) {
    const at = list ? `[${key}]` : `.${key}`;
    const inner = list && field === undefined ? "" : holeIn(field);
    if (inner !== undefined) return at + inner;
  }
  return undefined;
}

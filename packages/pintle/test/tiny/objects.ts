export type Tree = { [field: string]: any };

const isTree = (value: unknown): value is Tree => value !== null && typeof value === "object" && !Array.isArray(value);

/** Merge patch: null removes, lists are replaced. */
export function merged(target: unknown, patch: Tree): Tree {
  const out: Tree = isTree(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key];
    else out[key] = isTree(value) ? merged(out[key], value) : value;
  }
  return out;
}

/** What one manager applied before and does not apply now goes; the rest is merged in. Keyed lists are known for metadata and conditions only. */
export function applied(live: Tree, before: Tree | undefined, now: Tree): Tree {
  const out: Tree = { ...live };
  for (const [key, old] of Object.entries(before ?? {})) {
    if (now[key] !== undefined) continue;
    const left = isTree(old) && isTree(out[key]) ? applied(out[key], old, {}) : undefined;
    if (left !== undefined && Object.keys(left).length > 0) out[key] = left;
    else if (Array.isArray(old) && KEYED[key] !== undefined) out[key] = without(out[key] ?? [], old, KEYED[key]);
    else delete out[key];
  }
  for (const [key, value] of Object.entries(now)) {
    if (isTree(value)) out[key] = applied(isTree(out[key]) ? out[key] : {}, before?.[key], value);
    else if (Array.isArray(value) && KEYED[key] !== undefined) {
      const rest = without(without(out[key] ?? [], before?.[key] ?? [], KEYED[key]), value, KEYED[key]);
      out[key] = [...rest, ...value];
    } else out[key] = value;
  }
  return out;
}

const KEYED: Record<string, (item: any) => string> = {
  ownerReferences: (item) => item.uid,
  conditions: (item) => item.type,
  finalizers: (item) => item,
};
const without = (list: any[], items: any[], key: (item: any) => string) =>
  list.filter((one) => !items.some((item) => key(item) === key(one)));

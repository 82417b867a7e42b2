export type JsonTree = { [field: string]: any };

const isTree = (value: unknown): value is JsonTree => value !== null && typeof value === "object" && !Array.isArray(value);

/** RFC 7386 merge patch. */
export function applyMergePatch(target: unknown, patch: JsonTree): JsonTree {
  const out: JsonTree = isTree(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key];
    else out[key] = isTree(value) ? applyMergePatch(out[key], value) : value;
  }
  return out;
}

/** Server-side apply of one manager: removes fields it no longer applies and merges the rest. List keys are known for metadata and conditions only. */
export function applyConfiguration(live: JsonTree, before: JsonTree | undefined, now: JsonTree): JsonTree {
  const out: JsonTree = { ...live };
  for (const [key, old] of Object.entries(before ?? {})) {
    if (now[key] !== undefined) continue;
    const left = isTree(old) && isTree(out[key]) ? applyConfiguration(out[key], old, {}) : undefined;
    if (left !== undefined && Object.keys(left).length > 0) out[key] = left;
    else if (Array.isArray(old) && KEYED[key] !== undefined) out[key] = without(out[key] ?? [], old, KEYED[key]);
    else delete out[key];
  }
  for (const [key, value] of Object.entries(now)) {
    if (isTree(value)) out[key] = applyConfiguration(isTree(out[key]) ? out[key] : {}, before?.[key], value);
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

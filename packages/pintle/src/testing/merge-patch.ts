/** RFC 7386: null removes, lists are replaced. */
export function applyMergePatch(target: unknown, change: unknown): unknown {
  if (change === null || typeof change !== "object" || Array.isArray(change)) return change;
  const out: Record<string, unknown> = target !== null && typeof target === "object" && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete out[key];
    else if (value !== undefined) out[key] = applyMergePatch(out[key], value);
  }
  return out;
}

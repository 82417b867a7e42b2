import type { DynamicKind } from "pintle/client";

/**
 * Returns each resource in the version that the server prefers, which it lists first. In other versions the objects are the same, but to read them may
 * take a conversion webhook that is not served.
 */
export function selectPreferredKinds(kinds: readonly DynamicKind[]): readonly DynamicKind[] {
  const preferred = new Map<string, DynamicKind>();
  for (const kind of kinds) {
    const resource = `${kind.group}/${kind.plural}`;
    if (!preferred.has(resource)) preferred.set(resource, kind);
  }
  return [...preferred.values()];
}

import type { Controller } from "../controller/index.ts";

/** Kinds that some controller needs all objects of; a second, narrower stream of them would only cost. */
export function wholeKinds(controllers: readonly Controller[]): ReadonlySet<string> {
  const whole = new Set<string>();
  for (const { kind, owns, watches } of controllers) {
    whole.add(kind.id);
    for (const child of owns) if (child.scope === "Namespaced" || kind.scope === "Cluster") whole.add(child.id);
    for (const { kind: watched, by } of Object.values(watches)) if (typeof by !== "object" || !("label" in by)) whole.add(watched.id);
  }
  return whole;
}

import type { UserInfo } from "../../api/index.ts";
import { type Binding, type Subject, subjectKeys } from "./binding.ts";

/** A binding, and the one of its subjects by which it was found. */
export interface Bound {
  readonly binding: Binding;
  readonly subject: Subject;
}

/** Bindings by namespace ("" for those that hold everywhere) and by whom they name. */
export function bindingIndex() {
  const bindings = new Map<string, Binding>();
  const places = new Map<string, Map<string, Map<string, Bound>>>();

  const remove = (key: string, binding: Binding) => {
    const { namespace = "" } = binding.metadata;
    const bySubject = places.get(namespace);
    for (const { id } of subjectKeys(binding)) {
      const bound = bySubject?.get(id);
      bound?.delete(key);
      if (bound?.size === 0) bySubject?.delete(id);
    }
    if (bySubject?.size === 0) places.delete(namespace);
  };
  const add = (key: string, binding: Binding) => {
    const { namespace = "" } = binding.metadata;
    const bySubject = places.get(namespace) ?? new Map<string, Map<string, Bound>>();
    places.set(namespace, bySubject);
    for (const { id, subject } of subjectKeys(binding)) {
      const bound = bySubject.get(id) ?? new Map<string, Bound>();
      bySubject.set(id, bound.set(key, { binding, subject }));
    }
  };
  return {
    set(key: string, binding: Binding | undefined): void {
      const before = bindings.get(key);
      if (before !== undefined) remove(key, before);
      bindings.delete(key);
      if (binding === undefined) return;
      bindings.set(key, binding);
      add(key, binding);
    },
    /** Whether there are any bindings. */
    has: (namespace: string): boolean => places.has(namespace),
    /** Every binding that names the user or one of its groups, once. */
    of({ name, groups }: UserInfo, namespace: string): readonly Bound[] {
      const bySubject = places.get(namespace);
      if (bySubject === undefined) return [];
      const found = new Map<string, Bound>();
      for (const id of [`User ${name}`, ...groups.map((group) => `Group ${group}`)]) {
        for (const [key, bound] of bySubject.get(id) ?? []) if (!found.has(key)) found.set(key, bound);
      }
      return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, bound]) => bound);
    },
  };
}

import type { UserInfo } from "../../api/index.ts";
import { listSubjectKeys, type RbacBinding, type RbacSubject } from "./binding.ts";

/** A binding and the subject by which it matched. */
export interface BoundSubject {
  readonly binding: RbacBinding;
  readonly subject: RbacSubject;
}

/** Indexes bindings by namespace ("" for ClusterRoleBindings) and subject. */
export function createBindingIndex() {
  const bindings = new Map<string, RbacBinding>();
  const byNamespace = new Map<string, Map<string, Map<string, BoundSubject>>>();

  const remove = (key: string, binding: RbacBinding) => {
    const { namespace = "" } = binding.metadata;
    const bySubject = byNamespace.get(namespace);
    for (const { id } of listSubjectKeys(binding)) {
      const bound = bySubject?.get(id);
      bound?.delete(key);
      if (bound?.size === 0) bySubject?.delete(id);
    }
    if (bySubject?.size === 0) byNamespace.delete(namespace);
  };
  const add = (key: string, binding: RbacBinding) => {
    const { namespace = "" } = binding.metadata;
    const bySubject = byNamespace.get(namespace) ?? new Map<string, Map<string, BoundSubject>>();
    byNamespace.set(namespace, bySubject);
    for (const { id, subject } of listSubjectKeys(binding)) {
      const bound = bySubject.get(id) ?? new Map<string, BoundSubject>();
      bySubject.set(id, bound.set(key, { binding, subject }));
    }
  };
  return {
    set(key: string, binding: RbacBinding | undefined): void {
      const before = bindings.get(key);
      if (before !== undefined) remove(key, before);
      bindings.delete(key);
      if (binding === undefined) return;
      bindings.set(key, binding);
      add(key, binding);
    },
    /** Whether the namespace has any bindings. */
    has: (namespace: string): boolean => byNamespace.has(namespace),
    /** Returns every binding of the user or one of its groups, once. */
    findBindings({ name, groups }: UserInfo, namespace: string): readonly BoundSubject[] {
      const bySubject = byNamespace.get(namespace);
      if (bySubject === undefined) return [];
      const found = new Map<string, BoundSubject>();
      for (const id of [`User ${name}`, ...groups.map((group) => `Group ${group}`)]) {
        for (const [key, bound] of bySubject.get(id) ?? []) if (!found.has(key)) found.set(key, bound);
      }
      return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, bound]) => bound);
    },
  };
}

import type { ConditionValue } from "../declare/desired-state.ts";

/** The part of a controller in the condition `Conflict` of its objects. */
export interface ConflictReporter {
  /**
   * Sets the conflict of the controller about an object, and returns the condition that the controller writes: only one of the controllers that have a
   * conflict about an object writes it, for all of them. The others are enqueued where that changes.
   */
  report(key: string, conflict: ConditionValue | undefined): ConditionValue | undefined;
}

/** Shares the condition `Conflict` between the controllers of a process, so that two conflicts about one object do not replace each other. */
export interface ConflictReporters {
  of(kindId: string, controller: string, enqueue: (key: string) => void): ConflictReporter;
}

/** The conflicts about one object by controller; the first controller writes the condition. */
type Conflicts = Map<string, { readonly conflict: ConditionValue; readonly enqueue: () => void }>;

export function createConflictReporters(): ConflictReporters {
  const byObject = new Map<string, Conflicts>();
  return {
    of: (kindId, controller, enqueue) => ({
      report(key, conflict) {
        const id = `${kindId} ${key}`;
        const conflicts: Conflicts = byObject.get(id) ?? new Map();
        const before = conflicts.get(controller)?.conflict;
        const wasFirst = isFirst(conflicts, controller);
        if (conflict === undefined) conflicts.delete(controller);
        else conflicts.set(controller, { conflict, enqueue: () => enqueue(key) });
        if (conflicts.size === 0) byObject.delete(id);
        else byObject.set(id, conflicts);
        const [first] = conflicts;
        // Another controller writes the condition, or does from now on.
        if (first !== undefined && first[0] !== controller && (before?.message !== conflict?.message || wasFirst)) first[1].enqueue();
        return isFirst(conflicts, controller) ? merge([...conflicts.values()].map((each) => each.conflict)) : undefined;
      },
    }),
  };
}

const isFirst = (conflicts: Conflicts, controller: string) => conflicts.keys().next().value === controller;

function merge(conflicts: readonly ConditionValue[]): ConditionValue {
  return { ...conflicts[0]!, message: conflicts.map(({ message }) => message).join("; ") };
}

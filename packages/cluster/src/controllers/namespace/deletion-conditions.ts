import type { Namespace, NamespaceCondition } from "pintle/kinds/core/v1";

/** The content that remains in a namespace, by resource and by finalizer. */
export interface RemainingContent {
  readonly resources: ReadonlyMap<string, number>;
  readonly finalizers: ReadonlyMap<string, number>;
}

type NamespaceConditionValue = Pick<NamespaceCondition, "type" | "status" | "reason" | "message">;

/** Computes the conditions of a terminating namespace; undefined if they are unchanged. Pure. */
export function computeDeletionConditions(
  { status }: Namespace,
  { resources, finalizers }: RemainingContent,
  now: string,
): readonly NamespaceCondition[] | undefined {
  const list = (counts: ReadonlyMap<string, number>, text: (name: string, count: number) => string) =>
    [...counts]
      .map(([name, count]) => text(name, count))
      .sort()
      .join(", ");
  const values: readonly NamespaceConditionValue[] = [
    falseCondition("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    falseCondition("NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions", "All legacy kube types successfully parsed"),
    falseCondition("NamespaceDeletionContentFailure", "ContentDeleted", "All content successfully deleted, may be waiting on finalization"),
    resources.size === 0
      ? falseCondition("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed")
      : {
          type: "NamespaceContentRemaining",
          status: "True",
          reason: "SomeResourcesRemain",
          message: `Some resources are remaining: ${list(resources, (name, count) => `${name} has ${count} resource instances`)}`,
        },
    finalizers.size === 0
      ? falseCondition("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished")
      : {
          type: "NamespaceFinalizersRemaining",
          status: "True",
          reason: "SomeFinalizersRemain",
          message: `Some content in the namespace has finalizers remaining: ${list(finalizers, (name, count) => `${name} in ${count} resource instances`)}`,
        },
  ];
  const existing = status.conditions ?? [];
  const next = values.map((each) => {
    const old = existing.find(({ type }) => type === each.type);
    return { ...each, lastTransitionTime: old?.status === each.status ? old.lastTransitionTime : now };
  });
  const same = next.every((each) =>
    existing.some((old) => old.type === each.type && old.status === each.status && old.message === each.message),
  );
  return same ? undefined : next;
}

const falseCondition = (type: string, reason: string, message: string): NamespaceConditionValue => ({
  type,
  status: "False",
  reason,
  message,
});

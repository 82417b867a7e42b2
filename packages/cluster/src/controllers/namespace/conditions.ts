import type { Namespace, NamespaceCondition } from "pintle/kinds/core/v1";

/** What is left of a namespace's content, by resource and by finalizer. */
export interface Remaining {
  readonly resources: ReadonlyMap<string, number>;
  readonly finalizers: ReadonlyMap<string, number>;
}

type Said = Pick<NamespaceCondition, "type" | "status" | "reason" | "message">;

/** How far the emptying of a namespace has come. Undefined when that is said already. Pure. */
export function deletionConditions(
  { status }: Namespace,
  { resources, finalizers }: Remaining,
  now: string,
): readonly NamespaceCondition[] | undefined {
  const list = (counts: ReadonlyMap<string, number>, text: (name: string, count: number) => string) =>
    [...counts]
      .map(([name, count]) => text(name, count))
      .sort()
      .join(", ");
  const said: readonly Said[] = [
    no("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    no("NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions", "All legacy kube types successfully parsed"),
    no("NamespaceDeletionContentFailure", "ContentDeleted", "All content successfully deleted, may be waiting on finalization"),
    resources.size === 0
      ? no("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed")
      : {
          type: "NamespaceContentRemaining",
          status: "True",
          reason: "SomeResourcesRemain",
          message: `Some resources are remaining: ${list(resources, (name, count) => `${name} has ${count} resource instances`)}`,
        },
    finalizers.size === 0
      ? no("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished")
      : {
          type: "NamespaceFinalizersRemaining",
          status: "True",
          reason: "SomeFinalizersRemain",
          message: `Some content in the namespace has finalizers remaining: ${list(finalizers, (name, count) => `${name} in ${count} resource instances`)}`,
        },
  ];
  const had = status.conditions ?? [];
  const next = said.map((each) => {
    const old = had.find(({ type }) => type === each.type);
    return { ...each, lastTransitionTime: old?.status === each.status ? old.lastTransitionTime : now };
  });
  const same = next.every((each) =>
    had.some((old) => old.type === each.type && old.status === each.status && old.message === each.message),
  );
  return same ? undefined : next;
}

const no = (type: string, reason: string, message: string): Said => ({ type, status: "False", reason, message });

import type { JsonObject } from "pintle/kinds";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[] | undefined;
}

/** Rules with the same groups, names and verbs become one, as reviewers of Go operators know them. */
export function foldRules(rules: readonly Rule[]): readonly JsonObject[] {
  const folded = new Map<string, Rule>();
  for (const rule of rules) {
    const key = JSON.stringify([rule.apiGroups, rule.resourceNames ?? [], rule.verbs]);
    const same = folded.get(key);
    folded.set(key, same === undefined ? rule : { ...same, resources: [...new Set([...same.resources, ...rule.resources])].sort() });
  }
  return [...folded.values()].map(({ apiGroups, resources, resourceNames, verbs }) => ({
    apiGroups,
    ...(resourceNames === undefined ? {} : { resourceNames }),
    resources,
    verbs,
  }));
}

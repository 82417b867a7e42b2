import { labelSelector } from "pintle/cache";
import type { ClusterRole, PolicyRule } from "pintle/kinds/rbac/v1";
import { canonical } from "pintle/merge";

/**
 * The rules of a role that gathers those of others: of every role its selectors choose, by name, each rule once.
 * Undefined: it gathers none, or has them already.
 */
export function aggregatedRules(role: ClusterRole, all: readonly ClusterRole[]): readonly PolicyRule[] | undefined {
  const { aggregationRule } = role;
  if (aggregationRule === undefined) return undefined;
  const others = all.filter(({ metadata }) => metadata.name !== role.metadata.name).sort(byName);
  const gathered = new Map<string, PolicyRule>();
  for (const selector of aggregationRule.clusterRoleSelectors ?? []) {
    const chosen = labelSelector(selector);
    for (const { metadata, rules } of others) {
      if (chosen.matches(metadata.labels)) for (const rule of rules ?? []) gathered.set(canonical(rule), rule);
    }
  }
  const rules = [...gathered.values()];
  return canonical(rules) === canonical(role.rules ?? []) ? undefined : rules;
}

const byName = (a: ClusterRole, b: ClusterRole) => (a.metadata.name < b.metadata.name ? -1 : 1);

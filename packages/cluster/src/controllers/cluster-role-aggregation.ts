import { canonicalJson } from "pintle/internal/merge";
import { compileLabelSelector } from "pintle/internal/selectors";
import { ClusterRole, type PolicyRule } from "pintle/kinds/rbac/v1";
import type { ControllerContext, ControlPlaneComponent } from "./component.ts";

const NAME = "clusterrole-aggregation-controller";

/** Starts the controller that maintains the rules of aggregated ClusterRoles (admin, edit, view). */
export function startClusterRoleAggregationController({ client, cache, clock, createWorkQueue }: ControllerContext): ControlPlaneComponent {
  const roles = cache.watch(ClusterRole);
  // A role can be selected by several others, and an aggregated role can itself be selected: one key reconciles all of them.
  const work = createWorkQueue({ clock, work: sync });
  roles.addEventHandler(() => work.add(NAME));

  async function sync(): Promise<void> {
    const all = roles.list();
    for (const role of all) {
      const rules = aggregateRules(role, all);
      const { name } = role.metadata;
      if (rules !== undefined) await client.apply(ClusterRole, { metadata: { name }, rules }, { fieldManager: NAME, force: true });
    }
  }

  const ready = roles.waitForSync().then(() => work.start());
  return {
    name: NAME,
    ready,
    async stop() {
      await work.stop();
      await roles.close();
    },
  };
}

/**
 * Returns the rules of an aggregated ClusterRole: those of every role that its selectors match, ordered by role name, without duplicates.
 * Returns undefined if the role does not aggregate, or already has these rules.
 */
export function aggregateRules(role: ClusterRole, all: readonly ClusterRole[]): readonly PolicyRule[] | undefined {
  const { aggregationRule } = role;
  if (aggregationRule === undefined) return undefined;
  const others = all.filter(({ metadata }) => metadata.name !== role.metadata.name).sort(byName);
  const aggregated = new Map<string, PolicyRule>();
  for (const selector of aggregationRule.clusterRoleSelectors ?? []) {
    const matcher = compileLabelSelector(selector);
    for (const { metadata, rules } of others) {
      if (matcher.matches(metadata.labels)) for (const rule of rules ?? []) aggregated.set(canonicalJson(rule), rule);
    }
  }
  const rules = [...aggregated.values()];
  return canonicalJson(rules) === canonicalJson(role.rules ?? []) ? undefined : rules;
}

const byName = (a: ClusterRole, b: ClusterRole) => (a.metadata.name < b.metadata.name ? -1 : 1);

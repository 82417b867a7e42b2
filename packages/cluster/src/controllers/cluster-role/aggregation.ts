import { ClusterRole } from "pintle/kinds/rbac/v1";
import { queue } from "pintle/queue";
import type { Part, Plant } from "../part.ts";
import { aggregatedRules } from "./aggregated.ts";

const NAME = "clusterrole-aggregation-controller";

/** Keeps the rules of aggregated ClusterRoles (admin, edit, view) what their selectors gather. */
export function clusterRoleAggregation({ client, cache, clock }: Plant): Part {
  const roles = cache.watch(ClusterRole);
  // Any role may be one that others gather, and what gathers may be gathered: all are looked at together.
  const work = queue({ clock, work: gather });
  roles.on(() => work.add(NAME));

  async function gather(): Promise<void> {
    const all = roles.list();
    for (const role of all) {
      const rules = aggregatedRules(role, all);
      const { name } = role.metadata;
      if (rules !== undefined) await client.apply(ClusterRole, { metadata: { name }, rules }, { fieldManager: NAME, force: true });
    }
  }

  const ready = roles.synced().then(() => work.start());
  return {
    name: NAME,
    ready,
    async stop() {
      await work.stop();
      await roles.close();
    },
  };
}

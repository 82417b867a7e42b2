import type { JsonObject } from "pintle/kinds";
import { type ManifestContext, objectMetadata } from "./context.ts";
import type { Manifest } from "./manifest.ts";
import { buildClusterRole } from "./rbac.ts";

/** Verbs of each role, and the built-in ClusterRole that it is aggregated to if configured. */
const ROLE_LEVELS = [
  { level: "admin", verbs: ["*"], into: "admin" },
  { level: "editor", verbs: ["create", "delete", "get", "list", "patch", "update", "watch"], into: "edit" },
  { level: "viewer", verbs: ["get", "list", "watch"], into: "view" },
] as const;

/** Returns three ClusterRoles per resource for cluster users; the operator itself does not use them. */
export function userRoleManifests(context: ManifestContext): readonly Manifest[] {
  const all = context.operator.resources.map(({ crd }) => crd.spec);
  return all.flatMap(({ group, names, scope }) => {
    const isUniqueKind = all.filter((other) => other.names.kind === names.kind).length === 1;
    const kind = isUniqueKind ? names.kind.toLowerCase() : `${names.kind.toLowerCase()}-${group.replaceAll(".", "-")}`;
    return ROLE_LEVELS.map(({ level, verbs, into }): Manifest => {
      // Users with a role in one namespace must not gain access to cluster-scoped resources.
      const isAggregated = context.project.config.aggregateUserRoles === true && scope === "Namespaced";
      const labels: JsonObject = isAggregated ? { [`rbac.authorization.k8s.io/aggregate-to-${into}`]: "true" } : {};
      const rules = [
        { apiGroups: [group], resources: [names.plural], verbs },
        { apiGroups: [group], resources: [`${names.plural}/status`], verbs: ["get"] },
      ];
      return {
        folder: "rbac",
        file: `${kind}_${level}_role.yaml`,
        object: buildClusterRole(objectMetadata(context, `${kind}-${level}-role`, { labels }), rules),
      };
    });
  });
}

import type { JsonObject } from "pintle/kinds";
import { type Context, metadata } from "./context.ts";
import type { Manifest } from "./manifest.ts";
import { clusterRole } from "./rbac.ts";

/** What people may do, and which of the cluster's own roles takes it in. */
const LEVELS = [
  { level: "admin", verbs: ["*"], into: "admin" },
  { level: "editor", verbs: ["create", "delete", "get", "list", "patch", "update", "watch"], into: "edit" },
  { level: "viewer", verbs: ["get", "list", "watch"], into: "view" },
] as const;

/** Three roles per resource for people; the operator itself uses none of them. */
export function userRoles(context: Context): readonly Manifest[] {
  const all = context.operator.resources.map(({ crd }) => crd.spec);
  return all.flatMap(({ group, names, scope }) => {
    const alone = all.filter((other) => other.names.kind === names.kind).length === 1;
    const kind = alone ? names.kind.toLowerCase() : `${names.kind.toLowerCase()}-${group.replaceAll(".", "-")}`;
    return LEVELS.map(({ level, verbs, into }): Manifest => {
      // Whoever has a role in a namespace only must not gain what belongs to the whole cluster.
      const labels: JsonObject = scope === "Namespaced" ? { [`rbac.authorization.k8s.io/aggregate-to-${into}`]: "true" } : {};
      const rules = [
        { apiGroups: [group], resources: [names.plural], verbs },
        { apiGroups: [group], resources: [`${names.plural}/status`], verbs: ["get"] },
      ];
      return {
        part: "rbac",
        file: `${kind}_${level}_role.yaml`,
        object: clusterRole(metadata(context, `${kind}-${level}-role`, { labels }), rules),
      };
    });
  });
}

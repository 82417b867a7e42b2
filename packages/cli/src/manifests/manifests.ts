import type { JsonObject } from "pintle/kinds";
import { type ManifestContext, objectMetadata } from "./context.ts";
import { buildManagerManifests } from "./manager.ts";
import type { ConfigFolder, Manifest } from "./manifest.ts";
import { buildMonitoringManifests } from "./monitoring.ts";
import { buildClusterRole, buildRbacManifests } from "./rbac.ts";
import { buildWebhookManifests, withCaInjection } from "./webhooks.ts";

/** Builds every object of an operator's deployment, in an order in which they can be applied. */
export function buildManifests(context: ManifestContext): readonly Manifest[] {
  const { overlay } = context.project.config;
  const all = [
    ...buildCrdManifests(context),
    ...buildRbacManifests(context),
    ...userRoleManifests(context),
    ...buildManagerManifests(context),
    ...buildWebhookManifests(context),
    ...buildMonitoringManifests(context),
  ];
  if (overlay === undefined) return all;
  return all.flatMap((manifest) => {
    const object = overlay(structuredClone(manifest.object));
    return object === undefined ? [] : [{ ...manifest, object }];
  });
}

/** Returns the folders that `config/default` and `dist/install.yaml` include. */
export function deployedFolders({ project: { config } }: Pick<ManifestContext, "project">): readonly ConfigFolder[] {
  return [
    "crd",
    "rbac",
    "manager",
    "webhook",
    "certmanager",
    ...(config.networkPolicy !== false ? ["network-policy" as const] : []),
    ...(config.prometheus ? ["prometheus" as const] : []),
  ];
}

/** Returns one manifest per CRD, with the file names of controller-gen. */
function buildCrdManifests(context: ManifestContext): readonly Manifest[] {
  return context.operator.resources.map(({ file, crd }) => ({
    folder: "crd",
    file: `bases/${file}`,
    object: withCaInjection(context, crd as unknown as JsonObject),
  }));
}

/** Verbs of each role, and the built-in ClusterRole that it is aggregated to if configured. */
const ROLE_LEVELS = [
  { level: "admin", verbs: ["*"], into: "admin" },
  { level: "editor", verbs: ["create", "delete", "get", "list", "patch", "update", "watch"], into: "edit" },
  { level: "viewer", verbs: ["get", "list", "watch"], into: "view" },
] as const;

/** Returns three ClusterRoles per resource for cluster users; the operator itself does not use them. */
function userRoleManifests(context: ManifestContext): readonly Manifest[] {
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

import type { JsonObject } from "pintle/internal/json";
import type { RegistryBundle, StrategyPermissions } from "../bundle/index.ts";
import { encodeGoStruct } from "../go-types/index.ts";
import { addHash } from "./names.ts";
import { createObject, type RenderContext } from "./render-bundle.ts";

const RBAC_GROUP = "rbac.authorization.k8s.io";
/** Operators that are made for one namespace have no right to find out which namespaces there are. */
const READ_NAMESPACES = { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["namespaces"] };

/** One ServiceAccount for each that the permissions name, but for `default`, which every namespace has. */
export function renderServiceAccounts({ csv }: RegistryBundle, { namespace }: RenderContext): JsonObject[] {
  const { permissions = [], clusterPermissions = [] } = csv.spec?.install?.spec ?? {};
  const names = new Set([...permissions, ...clusterPermissions].map(accountOf));
  names.delete("default");
  return [...names].map((name) => createObject("core/v1.ServiceAccount", "ServiceAccount", "v1", { metadata: { namespace, name } }));
}

/** Roles in the namespaces that the operator watches; none if it watches all. */
export function renderPermissions(bundle: RegistryBundle, context: RenderContext): JsonObject[] {
  if (watchesAll(context)) return [];
  const permissions = bundle.csv.spec?.install?.spec?.permissions ?? [];
  return context.targetNamespaces.flatMap((target) =>
    permissions.flatMap((permission) => createRole(bundle, context, permission, { kind: "Role", metadata: { namespace: target } })),
  );
}

/** ClusterRoles. If the operator watches all namespaces, those of single namespaces become ClusterRoles too, and may read namespaces. */
export function renderClusterPermissions(bundle: RegistryBundle, context: RenderContext): JsonObject[] {
  const { permissions = [], clusterPermissions = [] } = bundle.csv.spec?.install?.spec ?? {};
  const promoted = watchesAll(context) ? permissions : [];
  const all = [
    ...clusterPermissions,
    ...promoted.map((permission) => ({ ...permission, rules: [...(permission.rules ?? []), READ_NAMESPACES] })),
  ];
  return all.flatMap((permission) => createRole(bundle, context, permission, { kind: "ClusterRole", metadata: {} }));
}

/** A role with its binding. Both are named after the CSV, the ServiceAccount, and a hash of the permissions. */
function createRole(
  { csv }: RegistryBundle,
  { namespace }: RenderContext,
  permission: StrategyPermissions,
  { kind, metadata }: { readonly kind: "Role" | "ClusterRole"; readonly metadata: JsonObject },
): JsonObject[] {
  const account = accountOf(permission);
  const json = encodeGoStruct(permission, "operators/v1alpha1.StrategyDeploymentPermissions");
  const name = addHash(`${csv.metadata?.name ?? ""}-${account}`, json);
  const apiVersion = `${RBAC_GROUP}/v1`;
  const { rules } = permission;
  return [
    createObject(`rbac/v1.${kind}`, kind, apiVersion, {
      metadata: { ...metadata, name },
      ...(rules === undefined ? {} : { rules }),
    }),
    createObject(`rbac/v1.${kind}Binding`, `${kind}Binding`, apiVersion, {
      metadata: { ...metadata, name },
      subjects: [{ kind: "ServiceAccount", namespace, name: account }],
      roleRef: { apiGroup: RBAC_GROUP, kind, name },
    }),
  ];
}

function accountOf({ serviceAccountName }: StrategyPermissions): string {
  return serviceAccountName || "default";
}

function watchesAll({ targetNamespaces }: RenderContext): boolean {
  return targetNamespaces.length === 1 && targetNamespaces[0] === "";
}

import type { Client } from "pintle/client";
import type { JsonObject } from "pintle/internal/json";
import { ServiceAccount } from "pintle/kinds/core/v1";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "pintle/kinds/rbac/v1";
import { deriveInstallerRules, findMissingRules, type PluralOf, type ScopedRule } from "../../policy/index.ts";
import { POLICY_FIELD_MANAGER, POLICY_GROUP } from "../api/names.ts";
import type { ClusterExtension } from "../api/types.ts";

import { scopeObjects } from "./compute-plan.ts";

/** The ServiceAccount that applies the objects of an extension. */
export interface InstallerAccount {
  readonly namespace: string;
  readonly name: string;
}

const LABEL = `${POLICY_GROUP}/installer-of`;

export function installerOf({ metadata, spec }: ClusterExtension): InstallerAccount {
  return { namespace: spec.namespace, name: `${metadata.name}-installer` };
}

/** Returns the rules of the installer; undefined if it was never granted any. */
export async function readInstallerRules(client: Client, { metadata }: ClusterExtension): Promise<ScopedRule[] | undefined> {
  const labels = { [LABEL]: metadata.name };
  const [clusterRoles, roles] = await Promise.all([client.list(ClusterRole, { labels }), client.list(Role, { labels })]);
  if (clusterRoles.items.length === 0) return undefined;
  return [
    ...clusterRoles.items.flatMap(({ rules = [] }) => rules.map((rule): ScopedRule => ({ namespace: undefined, rule }))),
    ...roles.items.flatMap(({ metadata: { namespace }, rules = [] }) => rules.map((rule): ScopedRule => ({ namespace, rule }))),
  ];
}

/** Grants the installer exactly these rules. Roles in namespaces that need none are deleted last. */
export async function grantInstallerRules(client: Client, extension: ClusterExtension, rules: readonly ScopedRule[]): Promise<void> {
  const account = installerOf(extension);
  const { name, uid } = extension.metadata;
  const metadata = {
    labels: { [LABEL]: name },
    ownerReferences: [{ apiVersion: "olm.operatorframework.io/v1", kind: "ClusterExtension", name, uid, blockOwnerDeletion: false }],
  };
  const options = { force: true, fieldManager: POLICY_FIELD_MANAGER };
  const subjects = [{ kind: "ServiceAccount", ...account }];
  const roleName = `${POLICY_GROUP}:installer:${name}`;
  const roleRef = (kind: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name: roleName });
  const select = (namespace: string | undefined) => rules.filter((each) => each.namespace === namespace).map(({ rule }) => rule);
  await client.apply(ServiceAccount, { metadata: { ...metadata, ...account } }, options);
  // The ClusterRole is created last: its existence means that everything was granted.
  const namespaces = [...new Set(rules.flatMap(({ namespace }) => (namespace === undefined ? [] : [namespace])))].sort();
  for (const namespace of namespaces) {
    const own = { ...metadata, name: roleName, namespace };
    await client.apply(Role, { metadata: own, rules: select(namespace) as never }, options);
    await client.apply(RoleBinding, { metadata: own, roleRef: roleRef("Role"), subjects }, options);
  }
  const own = { ...metadata, name: roleName };
  await client.apply(ClusterRoleBinding, { metadata: own, roleRef: roleRef("ClusterRole"), subjects }, options);
  await client.apply(ClusterRole, { metadata: own, rules: select(undefined) as never }, options);
  const { items } = await client.list(RoleBinding, { labels: { [LABEL]: name } });
  for (const { metadata: of } of items) {
    if (namespaces.includes(of.namespace)) continue;
    await client.delete(RoleBinding, { name: of.name, namespace: of.namespace });
    await client.delete(Role, { name: of.name, namespace: of.namespace });
  }
}

/** Derives the rules for applying objects. Kinds that are not served yet are those of CRDs among the objects. */
export async function deriveRules(client: Client, objects: readonly JsonObject[]): Promise<ScopedRule[]> {
  const plurals = new Map<string, string>();
  for (const { kind, spec } of objects) {
    if (kind !== "CustomResourceDefinition") continue;
    const { group, names } = spec as { readonly group?: string; readonly names?: { readonly kind?: string; readonly plural?: string } };
    plurals.set(`${group}/${names?.kind}`, names?.plural ?? "");
  }
  const pluralOf: PluralOf = (apiVersion, kind) =>
    plurals.get(`${apiVersion.split("/")[0]}/${kind}`) ?? served.get(`${apiVersion}/${kind}`);
  const served = new Map<string, string>();
  for (const { apiVersion, kind } of objects) {
    const id = `${String(apiVersion)}/${String(kind)}`;
    if (served.has(id)) continue;
    const found = await client.discoverKind(String(apiVersion), String(kind)).catch(() => undefined);
    if (found !== undefined) served.set(id, found.plural);
  }
  return deriveInstallerRules(await scopeObjects(client, objects), pluralOf);
}

/** The union of two lists of rules. */
export function mergeRuleLists(a: readonly ScopedRule[], b: readonly ScopedRule[]): ScopedRule[] {
  return findMissingRules([...a, ...b], []);
}
